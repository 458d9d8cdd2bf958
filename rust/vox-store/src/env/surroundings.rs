//! What can be seen of the place an archive stands in, before trouble comes of it.

use std::path::Path;

/// Something about the archive's place that its user should know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Warning {
    /// LMDB's locks don't work between machines.
    NetworkFileSystem,
    /// Opened without a lock: a reader may see a writer's reuse of pages.
    UnlockedSnapshot,
    /// The address space is limited; the map is smaller than wished.
    SmallMap {
        /// Bytes mapped.
        bytes: usize,
    },
}

impl Warning {
    /// A sentence for people.
    pub fn sentence(&self) -> String {
        match self {
            Self::NetworkFileSystem => {
                "the archive is on a network file system, where locks between \
                machines don't work: use it from one machine at a time, or move it to a local disk"
                    .into()
            }
            Self::UnlockedSnapshot => {
                "the archive can't be locked here and is read as a snapshot: \
                don't write to it from elsewhere meanwhile"
                    .into()
            }
            Self::SmallMap { bytes } => format!(
                "only {} GiB of address space could be reserved for the archive",
                bytes >> 30
            ),
        }
    }
}

/// Whether `path` is on a network file system, as far as the system tells.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub fn on_network(path: &Path) -> bool {
    // Magic numbers of statfs(2): NFS, SMB, SMB2, CIFS, AFS, Ceph, 9P.
    const NETWORK: [u32; 7] =
        [0x6969, 0x517B, 0xFE53_4D42, 0xFF53_4D42, 0x5346_414F, 0x00C3_6400, 0x0102_1997];
    rustix::fs::statfs(path).is_ok_and(|stat| NETWORK.contains(&(stat.f_type as u32)))
}

/// Whether `path` is on a network file system, as far as the system tells.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub fn on_network(_: &Path) -> bool {
    false
}

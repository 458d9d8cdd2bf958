//! The vocabularies that ship with vox: bytes of compiled tables within the program, which
//! `vox_bpe::Vocabulary::open` uses as they lie. Their sources are in `contracts/vocabularies`.

/// Bytes that start on a cache line.
#[repr(C, align(64))]
struct Aligned<T: ?Sized>(T);

/// A vocabulary that ships.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// The compiled tables; they start on a cache line.
    pub tables: &'static [u8],
    /// BLAKE3-256 of the `.tiktoken` file they were compiled from.
    pub source: [u8; 32],
}

macro_rules! shipped {
    ($($variable:ident $name:literal),+ $(,)?) => {
        $(
            #[doc = concat!("The vocabulary of ", $name, ".")]
            pub static $variable: Shipped = {
                static TABLES: &Aligned<[u8]> =
                    &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/", $name)));
                Shipped {
                    tables: &TABLES.0,
                    source: *include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".blake3")),
                }
            };
        )+
    };
}

shipped! {
    O200K_BASE "o200k_base",
    CL100K_BASE "cl100k_base",
    P50K_BASE "p50k_base",
}

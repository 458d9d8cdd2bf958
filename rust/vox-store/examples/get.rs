use std::time::Instant;
use vox_store::{Store, blobs, index::HashIndex};
use vox_types::*;
fn main() {
    let store = Store::open("/tmp/vcs".as_ref()).unwrap();
    let refs: Vec<(ContentHash, BlobRef)> = store
        .read(|t, txn| {
            let mut v = Vec::new();
            for row in t.segments.iter(txn)?.take(3000) {
                let (k, val) = row?;
                let g = vox_format::segment::Group::parse(val)?;
                let s = u64::from_be_bytes(k.try_into().unwrap());
                for i in 0..g.len() {
                    v.push((g.hash(i)?, BlobRef::new(s, i as u16)));
                }
            }
            Ok(v)
        })
        .unwrap();
    let mut s = 1u64;
    let mut r = move || {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        s as usize
    };
    let ks: Vec<_> = (0..100000).map(|_| refs[r() % refs.len()]).collect();
    let p50 = |name: &str, f: &mut dyn FnMut(&(ContentHash, BlobRef))| {
        let mut l: Vec<u128> = ks
            .iter()
            .map(|k| {
                let t = Instant::now();
                f(k);
                t.elapsed().as_nanos()
            })
            .collect();
        l.sort();
        println!("{name} {} ns p99 {}", l[l.len() / 2], l[l.len() * 99 / 100]);
    };
    for _ in 0..2 {
        p50("nothing", &mut |_| {});
        p50("txn", &mut |_| {
            store.read(|_, _| Ok(())).unwrap();
        });
        p50("finder", &mut |_| {
            store
                .read(|t, x| {
                    HashIndex::of_blobs(t).finder(x)?;
                    Ok(())
                })
                .unwrap();
        });
        p50("find prefix", &mut |k| {
            store
                .read(|t, x| {
                    std::hint::black_box(HashIndex::of_blobs(t).finder(x)?.find(x, k.0.prefix())?);
                    Ok(())
                })
                .unwrap();
        });
        p50("find", &mut |k| {
            store
                .read(|t, x| {
                    let f = HashIndex::of_blobs(t).finder(x)?;
                    std::hint::black_box(blobs::find(t, &f, x, &k.0)?);
                    Ok(())
                })
                .unwrap();
        });
        p50("read", &mut |k| {
            store
                .read(|t, x| {
                    std::hint::black_box(blobs::read(t, x, k.1)?);
                    Ok(())
                })
                .unwrap();
        });
        p50("find stored", &mut |k| {
            store
                .read(|t, x| {
                    let f = HashIndex::of_blobs(t).finder(x)?;
                    std::hint::black_box(blobs::find_stored(t, &f, x, &k.0)?);
                    Ok(())
                })
                .unwrap();
        });
        p50("get", &mut |k| {
            std::hint::black_box(store.get(&k.0).unwrap());
        });
    }
}

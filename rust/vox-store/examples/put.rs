//! Rough speed of put_batches: `cargo run --release --example put -- N`.
use std::time::Instant;
use vox_store::Store;
fn main() {
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let text = std::fs::read("/tmp/corpus.bin").unwrap();
    let mut s = 1u64;
    let mut r = move || {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        s
    };
    let mut items: Vec<&[u8]> = Vec::new();
    for i in 0..n {
        if i > 100 && r() % 10 < 3 {
            let k = r() as usize % i;
            items.push(items[k]);
        } else {
            let u = (0..6).map(|_| (r() % 1000) as f64 / 1000.0).sum::<f64>() - 3.0;
            let len = (600.0 * (u * 1.8).exp()) as usize + 8;
            let at = r() as usize % (text.len() - len);
            items.push(&text[at..at + len]);
        }
    }
    let bytes: usize = items.iter().map(|i| i.len()).sum();
    let dir = "/tmp/vox-put";
    let _ = std::fs::remove_dir_all(dir);
    let store = Store::create(dir.as_ref()).unwrap();
    let t = Instant::now();
    let (h, st) = store.put_batches(&items, 10_000).unwrap();
    let dt = t.elapsed().as_secs_f64();
    println!("{n} items {} MB in {dt:.2}s: {:.0}/s {st:?}", bytes / 1_000_000, n as f64 / dt);
    let t = Instant::now();
    for k in (0..20000).map(|_| r() as usize % n) {
        std::hint::black_box(store.get(&h[k]).unwrap());
    }
    println!("get {:.2} us", t.elapsed().as_secs_f64() * 1e6 / 20000.0);
    let t = Instant::now();
    for i in 0..2000u32 {
        store.put_many(&[&i.to_le_bytes().repeat(100)]).unwrap();
    }
    println!("single {:.0}/s", 2000.0 / t.elapsed().as_secs_f64());
}

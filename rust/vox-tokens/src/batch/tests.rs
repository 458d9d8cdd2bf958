//! Batches against one item after the other.

use std::{num::NonZeroUsize, sync::Arc};

use proptest::prelude::*;

use super::{Fit, Lanes, bound, count, encode, fits, tight_bound};
use crate::{Encoding, Fingerprint, Tokenizer, Worker, bound::Symbols, valid};

/// One token for each line, in which lines can be told apart: their lengths.
struct Lines;

struct LinesWorker;

impl Encoding for Lines {
    fn worker(self: Arc<Self>) -> Box<dyn Worker> {
        Box::new(LinesWorker)
    }

    fn symbols(&self) -> Symbols {
        Symbols::bytes()
    }

    fn cut(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let place = from + bytes[from..].iter().position(|byte| *byte == b'\n')? + 1;
        (place < bytes.len()).then_some(place)
    }
}

impl Worker for LinesWorker {
    fn count(&mut self, text: &str, limit: u64) -> u64 {
        (text.split_inclusive('\n').count() as u64).min(limit.saturating_add(1))
    }

    fn encode(&mut self, text: &str, ids: &mut Vec<u32>) {
        ids.extend(text.split_inclusive('\n').map(|line| line.len() as u32));
    }

    fn tight_bound(&mut self, text: &str) -> u64 {
        text.split_inclusive('\n').map(|line| line.len() as u64).sum()
    }
}

fn lines() -> Tokenizer {
    Tokenizer::new(Fingerprint([0; 32]), Arc::new(Lines))
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(work)
}

fn items() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let short = prop::collection::vec(any::<u8>(), 0..40);
    let long = (1..400_000_usize, 2..9000_usize).prop_map(|(length, line)| {
        (0..length).map(|place| if place % line == 1 { b'\n' } else { b'a' }).collect()
    });
    prop::collection::vec(prop_oneof![30 => short, 1 => long], 0..80)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_batch_answers_as_each_item_does(items in items(), threads in 1..5_usize, most in 1..5_usize) {
        let tokenizer = lines();
        let items: Vec<&[u8]> = items.iter().map(Vec::as_slice).collect();
        let lanes = Lanes::at_most(NonZeroUsize::new(most).expect("not zero"));
        let counts: Vec<u32> = items.iter().map(|item| tokenizer.count(item) as u32).collect();
        let (ids, ends) = on_threads(threads, || encode(&tokenizer, &items, lanes)).expect("encoded");
        let bounds = on_threads(threads, || tight_bound(&tokenizer, &items, lanes)).expect("bounds");
        prop_assert_eq!(&on_threads(threads, || count(&tokenizer, &items, lanes)).expect("counts"), &counts);
        let sizes: Vec<u32> = items.iter().map(|item| valid(item).len() as u32).collect();
        prop_assert_eq!(on_threads(threads, || bound(&Symbols::bytes(), &items, lanes)).expect("bounds"), sizes);
        let mut first = 0;
        for (place, item) in items.iter().enumerate() {
            let end = ends[place] as usize;
            prop_assert_eq!(&ids[first..end], &tokenizer.encode(item)[..]);
            prop_assert_eq!(bounds[place], ids[first..end].iter().sum::<u32>());
            first = end;
        }
        prop_assert_eq!(first, ids.len());
    }

    #[test]
    fn what_fits_is_known_from_a_bound_or_a_count_and_what_does_not_is_above_the_budget(
        items in items(), budget in 0..3000_u64, threads in 1..4_usize
    ) {
        let tokenizer = lines();
        let items: Vec<&[u8]> = items.iter().map(Vec::as_slice).collect();
        let tokens: u64 = items.iter().map(|item| tokenizer.count(item)).sum();
        let bound: u64 = items.iter().map(|item| valid(item).len() as u64).sum();
        match on_threads(threads, || fits(&tokenizer, &items, budget, Lanes::default())) {
            Fit::Bounded(all) => {
                prop_assert_eq!(all, bound);
                prop_assert!(bound <= budget);
            }
            Fit::Counted(all) => {
                prop_assert_eq!(all, tokens);
                prop_assert!(tokens <= budget && budget < bound);
            }
            Fit::Over(all) => prop_assert!(budget < all && all <= tokens, "{budget} {all} {tokens}"),
        }
    }
}

#[test]
fn a_long_item_is_shared_out_and_counted_as_one() {
    let tokenizer = lines();
    let long = b"some line\n".repeat(300_000);
    let items = [&b"short"[..], &long, b""];
    let shares = super::share::cut(&items, 2, |bytes, from| tokenizer.cut(bytes, from));
    assert!(shares.len() > 4);
    let all: Vec<u8> = shares
        .iter()
        .filter(|share| share.first == 1)
        .flat_map(|share| share.of(&items))
        .flatten()
        .copied()
        .collect();
    assert!(all == long);
    let counts = on_threads(2, || count(&tokenizer, &items, Lanes::default()));
    assert_eq!(counts.expect("counts"), [1, 300_000, 0]);
}

#[test]
fn a_count_beyond_32_bits_is_an_error_that_names_the_item() {
    let huge = super::each(
        &[b"a", b"b"],
        Lanes::default(),
        |_, _| None,
        || (),
        |(), bytes| {
            if bytes == b"b" { 1 << 32 } else { 1 }
        },
    );
    let error = huge.expect_err("too large");
    assert_eq!(error.code, vox_types::Code::TooLarge);
    assert!(error.message.starts_with("item 1 "), "{error}");
}

//! Whether what has the form of a secret can be one.

use crate::rules::Rule;

/// Parts of texts that stand where a secret would: in examples, templates and tests. Lower case.
const PLACEHOLDERS: &[&[u8]] = &[
    b"example",
    b"placeholder",
    b"changeme",
    b"change_me",
    b"change-me",
    b"your_",
    b"your-",
    b"yourkey",
    b"yourtoken",
    b"yoursecret",
    b"yourapi",
    b"yourpass",
    b"redacted",
    b"dummy",
    b"xxxx",
    b"****",
    b"....",
    b"1234567890abcdef",
    b"abcdefghij",
    b"012345678",
    b"123456789",
    b"insert_",
    b"insert-",
    b"replace_",
    b"replace-",
    b"fake",
    b"notreal",
    b"not_real",
    b"not-real",
    b"sample",
    b"<your",
    b"todo",
    b"foobar",
    b"deadbeef",
    b"mysecret",
    b"my_secret",
    b"my-secret",
];

/// Whether `secret`, which matched the pattern of `rule`, is taken for one.
pub(crate) fn plausible(rule: &Rule, secret: &[u8]) -> bool {
    entropy(secret) >= rule.entropy
        && (!rule.digits || letters_and_digits(secret))
        && !is_placeholder(secret)
        && (!rule.random || looks_random(secret))
}

/// Shannon entropy of the bytes, in bits for each of them.
fn entropy(bytes: &[u8]) -> f32 {
    let mut counts = [0u32; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let all = bytes.len() as f32;
    let bits = |count: u32| {
        let share = count as f32 / all;
        -share * share.log2()
    };
    counts.iter().filter(|count| **count > 0).map(|count| bits(*count)).sum()
}

fn letters_and_digits(secret: &[u8]) -> bool {
    secret.iter().any(u8::is_ascii_digit) && secret.iter().any(u8::is_ascii_alphabetic)
}

fn is_placeholder(secret: &[u8]) -> bool {
    let start = &secret[..secret.len().min(256)];
    let lower = start.to_ascii_lowercase();
    PLACEHOLDERS.iter().any(|part| lower.windows(part.len()).any(|window| window == *part))
}

/// Whether nobody wrote it by hand: it isn't made of words, as paths, addresses and names are.
///
/// Judgement: letters of a word are most often of one case and have no digit between them, so the
/// borders between lower case, upper case and digits are few for its length.
fn looks_random(secret: &[u8]) -> bool {
    let class = |byte: &u8| match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let borders = secret.windows(2).filter(|pair| {
        let (left, right) = (class(&pair[0]), class(&pair[1]));
        left != right && left != 3 && right != 3
    });
    let separators = secret.iter().filter(|byte| class(byte) == 3).count();
    let borders = borders.count();
    borders * 5 >= secret.len() && separators * 6 <= secret.len()
}

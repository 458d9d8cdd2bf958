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

/// What stands for a password in examples, with or without digits behind it, or is so well known
/// that it guards nothing. Lower case.
const WORDS: &[&[u8]] = &[
    b"password",
    b"passwd",
    b"mypassword",
    b"passphrase",
    b"pass",
    b"secret",
    b"token",
    b"user",
    b"username",
    b"admin",
    b"administrator",
    b"root",
    b"postgres",
    b"mysql",
    b"guest",
    b"qwerty",
    b"letmein",
    b"string",
    b"value",
    b"test",
    b"testing",
    b"testpass",
    b"testpassword",
];

/// Whether `secret`, which matched the pattern of `rule`, is taken for one.
pub(crate) fn plausible(rule: &Rule, secret: &[u8]) -> bool {
    entropy(secret) >= rule.entropy
        && (!rule.digits || letters_and_digits(secret))
        && !is_placeholder(secret)
        && !is_constant(secret)
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

/// Whether it is the name of a constant: upper case and digits, with underscores.
fn is_constant(secret: &[u8]) -> bool {
    let part_of_one =
        |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
    secret.contains(&b'_') && secret.iter().all(part_of_one)
}

fn is_placeholder(secret: &[u8]) -> bool {
    let start = &secret[..secret.len().min(256)];
    let lower = start.to_ascii_lowercase();
    let letters = lower.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |last| last + 1);
    if WORDS.contains(&&lower[..letters]) || lower.ends_with(b"...") {
        return true;
    }
    PLACEHOLDERS.iter().any(|part| lower.windows(part.len()).any(|window| window == *part))
}

/// Whether nobody wrote it by hand: it isn't made of words, as paths, addresses and names are.
///
/// Judgement: what has many digits isn't. Else, of pairs of letters that stand together, half are
/// common ones in words, and a sixth by chance.
fn looks_random(secret: &[u8]) -> bool {
    let digits = secret.iter().filter(|byte| byte.is_ascii_digit()).count();
    let separators = secret.iter().filter(|byte| !byte.is_ascii_alphanumeric()).count();
    if separators * 6 > secret.len() {
        return false;
    }
    let (mut pairs, mut common) = (0, 0);
    for pair in secret.windows(2).filter(|pair| pair.iter().all(u8::is_ascii_alphabetic)) {
        pairs += 1;
        let pair = [pair[0].to_ascii_lowercase(), pair[1].to_ascii_lowercase()];
        common += usize::from(COMMON_PAIRS.as_chunks::<2>().0.contains(&pair));
    }
    digits * 4 >= secret.len() || common * 5 < pairs * 2
}

/// Pairs of letters that are common within words and names of code.
const COMMON_PAIRS: &[u8] = b"thheinerreonanatesstentiornditedisealitengasarvetollecomoraceelros\
riioveletasiurneueomchhaeetscesehilalaulnotopaidmapedaotpruniosotyctsuurseeseaadodpeplacfileky\
smgesskemeimamabibboroaygubtapacnceviteoksapcsigloscocupokadmiwoolcukefauttrntayouicpoilscbasaem";

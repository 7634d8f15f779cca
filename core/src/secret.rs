//! Secrets as types: generated here, shown once, kept as hashes.
//!
//! None of them can be printed by accident: `Debug` shows the name of the type and no more.

use std::fmt;
use std::hash::{Hash, Hasher};

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Digits of base 62 that hold 256 bits.
const SECRET_LEN: usize = 43;
const CHECKSUM_LEN: usize = 6;
const API_KEY_PREFIX: &str = "hb_";
const API_KEY_LEN: usize = API_KEY_PREFIX.len() + SECRET_LEN + CHECKSUM_LEN;

macro_rules! without_debug {
    ($($secret:ident),*) => {$(
        impl fmt::Debug for $secret {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($secret), "(..)"))
            }
        }
    )*};
}

/// What lets its holder create posts: `hb_`, 43 characters of base 62 (256 bits from a CSPRNG) and
/// 6 of CRC-32 over what precedes them, so that a scanner for secrets finds it and a typing error
/// is told apart without asking the store.
#[derive(Clone)]
pub struct ApiKey(String);

/// What lets its holder change and delete one post: 256 bits in 43 characters of base 62.
#[derive(Clone)]
pub struct EditToken(String);

/// The SHA-256 of a secret: all that is ever stored of it. Compared in constant time.
#[derive(Clone, Copy)]
pub struct SecretHash([u8; 32]);

/// What a client calls one creation, so that repeating it does not create twice: 1 to 255 visible
/// ASCII characters. Kept nowhere, since a creation's id and edit token are derived from it.
#[derive(Clone)]
pub(crate) struct IdempotencyKey(String);

without_debug!(ApiKey, EditToken, SecretHash, IdempotencyKey);

impl ApiKey {
    pub(crate) fn generate() -> Self {
        let unsigned = format!("{API_KEY_PREFIX}{}", base62(random_bits()));
        let checksum = Self::checksum(&unsigned);
        Self(unsigned + &text_of(&checksum))
    }

    /// The key, if it is one: right prefix, length, alphabet and checksum.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let well_formed = text.len() == API_KEY_LEN
            && text.starts_with(API_KEY_PREFIX)
            && is_base62(&text[API_KEY_PREFIX.len()..]);
        if !well_formed {
            return None;
        }
        let (unsigned, checksum) = text.split_at(API_KEY_LEN - CHECKSUM_LEN);
        (Self::checksum(unsigned) == checksum.as_bytes()).then(|| Self(text.to_owned()))
    }

    /// The secret itself. Show it to the person it was issued to, once, and nowhere else.
    pub fn expose(&self) -> &str {
        &self.0
    }

    pub(crate) fn hash(&self) -> SecretHash {
        SecretHash::of(&self.0)
    }

    /// 256 bits that only the holder of this key, using this idempotency key, arrives at.
    /// `purpose` keeps apart what is derived for different ends.
    pub(crate) fn derive(&self, idempotency_key: &IdempotencyKey, purpose: &str) -> [u8; 32] {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.0.as_bytes())
            .unwrap_or_else(|_| unreachable!("HMAC takes a key of any length"));
        mac.update(purpose.as_bytes());
        mac.update(&[0]);
        mac.update(idempotency_key.0.as_bytes());
        mac.finalize().into_bytes().into()
    }

    fn checksum(unsigned: &str) -> [u8; CHECKSUM_LEN] {
        let mut rest = crc32fast::hash(unsigned.as_bytes());
        let mut digits = [0; CHECKSUM_LEN];
        for digit in digits.iter_mut().rev() {
            *digit = BASE62[(rest % 62) as usize];
            rest /= 62;
        }
        digits
    }
}

impl EditToken {
    pub(crate) fn generate() -> Self {
        Self::from_bits(random_bits())
    }

    pub(crate) fn from_bits(bits: [u8; 32]) -> Self {
        Self(base62(bits))
    }

    /// The token, if the text has the form of one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        (text.len() == SECRET_LEN && is_base62(text)).then(|| Self(text.to_owned()))
    }

    /// The secret itself. Show it to the person who may edit the post, and nowhere else.
    pub fn expose(&self) -> &str {
        &self.0
    }

    pub(crate) fn hash(&self) -> SecretHash {
        SecretHash::of(&self.0)
    }
}

impl SecretHash {
    /// A hash as it was stored.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The hash's 32 bytes, to store and to look up by.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    pub(crate) fn of(secret: impl AsRef<[u8]>) -> Self {
        Self(Sha256::digest(secret).into())
    }
}

impl PartialEq for SecretHash {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for SecretHash {}

impl Hash for SecretHash {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl IdempotencyKey {
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let valid = (1..=255).contains(&text.len()) && text.iter().all(u8::is_ascii_graphic);
        let text = std::str::from_utf8(text).ok().filter(|_| valid)?;
        Some(Self(text.to_owned()))
    }
}

fn is_base62(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// 256 bits from a CSPRNG. Filled as a whole, since each byte made alone takes four of the generator's.
fn random_bits() -> [u8; 32] {
    let mut bits = [0; 32];
    rand::fill(&mut bits);
    bits
}

/// 256 bits as a number in base 62, most significant digit first, padded to 43 digits.
fn base62(bits: [u8; 32]) -> String {
    /// Digits that one division takes off: as many as a limb can hold.
    const AT_ONCE: usize = 5;

    const BASE: u64 = 62_u64.pow(AT_ONCE as u32);

    let mut limbs = [0_u32; 8];
    for (limb, bytes) in limbs.iter_mut().zip(bits.as_chunks().0) {
        *limb = u32::from_be_bytes(*bytes);
    }
    let mut digits = [0_u8; SECRET_LEN];
    for digits in digits.rchunks_mut(AT_ONCE) {
        let mut remainder = 0;
        for limb in limbs.iter_mut().skip_while(|limb| **limb == 0) {
            let value = remainder << 32 | u64::from(*limb);
            *limb = (value / BASE) as u32;
            remainder = value % BASE;
        }
        for digit in digits.iter_mut().rev() {
            *digit = BASE62[(remainder % 62) as usize];
            remainder /= 62;
        }
    }
    text_of(&digits)
}

fn text_of(digits: &[u8]) -> String {
    str::from_utf8(digits)
        .unwrap_or_else(|_| unreachable!("digits are ASCII"))
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base62_spans_256_bits() {
        assert_eq!(base62([0; 32]), "0".repeat(43));
        let mut one = [0; 32];
        one[31] = 61;
        assert_eq!(base62(one), format!("{}z", "0".repeat(42)));
        // 2^256 - 1, worked out with arbitrary-precision integers.
        assert_eq!(
            base62([0xFF; 32]),
            "yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp1"
        );
    }

    #[test]
    fn an_api_key_is_recognised_and_each_typing_error_is_not() {
        let key = ApiKey::generate();
        assert_eq!(key.expose().len(), 52);
        assert!(ApiKey::parse(key.expose()).is_some());
        for position in 0..52 {
            let mut typo = key.expose().as_bytes().to_vec();
            typo[position] = if typo[position] == b'x' { b'y' } else { b'x' };
            assert!(ApiKey::parse(std::str::from_utf8(&typo).unwrap()).is_none());
        }
        assert!(ApiKey::parse("").is_none());
        assert!(ApiKey::parse(&"é".repeat(26)).is_none());
    }

    #[test]
    fn debug_shows_no_secret() {
        let key = ApiKey::generate();
        let token = EditToken::generate();
        assert_eq!(format!("{key:?}"), "ApiKey(..)");
        assert_eq!(format!("{token:?}"), "EditToken(..)");
        assert_eq!(format!("{:?}", token.hash()), "SecretHash(..)");
    }

    #[test]
    fn derived_bits_differ_by_key_name_and_purpose() {
        let (one, two) = (ApiKey::generate(), ApiKey::generate());
        let [a, b] = [b"a", b"b"].map(|name| IdempotencyKey::parse(name).unwrap());
        assert_eq!(one.derive(&a, "id"), one.derive(&a, "id"));
        assert_ne!(one.derive(&a, "id"), one.derive(&b, "id"));
        assert_ne!(one.derive(&a, "id"), two.derive(&a, "id"));
        assert_ne!(one.derive(&a, "id"), one.derive(&a, "token"));
    }

    #[test]
    fn idempotency_keys_have_bounds() {
        assert!(IdempotencyKey::parse(b"").is_none());
        assert!(IdempotencyKey::parse(b"with space").is_none());
        assert!(IdempotencyKey::parse("é".as_bytes()).is_none());
        assert!(IdempotencyKey::parse(&[b'x'; 255]).is_some());
        assert!(IdempotencyKey::parse(&[b'x'; 256]).is_none());
    }
}

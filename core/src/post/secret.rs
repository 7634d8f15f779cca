//! Secrets as types: generated here, shown once, and stored as hashes.
//!
//! `Debug` prints only the name of the type, so a secret cannot reach a log by accident.

use std::hash::{Hash, Hasher};
use std::str::FromStr;

use ctutils::CtEq;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use super::{ParseError, random};

const NOT_A_KEY: ParseError = ParseError::new("the text does not have the form of an API key");
const NOT_A_TOKEN: ParseError = ParseError::new("the text does not have the form of an edit token");

const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// The number of base-62 digits that hold 256 bits.
const SECRET_LEN: usize = 43;
const CHECKSUM_LEN: usize = 6;
const API_KEY_LEN: usize = ApiKey::PREFIX.len() + SECRET_LEN + CHECKSUM_LEN;

/// An API key, which authorises creating posts.
///
/// A key is `hb_`, then 256 bits from a CSPRNG as 43 base-62 digits, then a CRC-32 checksum of these as 6
/// digits. The prefix lets secret scanners find leaked keys. The checksum detects a typing error without
/// a database query.
///
/// Parsing checks prefix, length, alphabet and checksum, but not whether the key was ever issued.
///
/// ```
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let handbill = handbill::Handbill::new("https://example.org", handbill::MemoryStore::new())?;
/// use handbill::ApiKey;
///
/// let issued = handbill.keys().issue(None, None).await?;
/// let sent = issued.key.expose();
/// assert!(sent.parse::<ApiKey>().is_ok());
/// assert!(sent.replace('_', "-").parse::<ApiKey>().is_err());
/// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Clone)]
pub struct ApiKey(String);

/// An edit token, which authorises changing and deleting one post: 256 bits as 43 base-62 digits.
///
/// Parsing checks length and alphabet, but not whether the token belongs to a post.
///
/// ```
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let handbill = handbill::Handbill::new("https://example.org", handbill::MemoryStore::new())?;
/// let created = handbill.posts().create(handbill::Draft::new().body("A post.")).await?;
/// let header = ("X-Edit-Token", created.edit.token.expose());
/// # assert_eq!(header.1.len(), 43);
/// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Clone)]
pub struct EditToken(String);

/// The SHA-256 hash of a secret, or of an owner. A store sees only the hash. Comparison takes constant time.
#[derive(Clone, Copy)]
pub struct SecretHash([u8; 32]);

/// A secret of the installation: 32 bytes from a CSPRNG, which the store preserves for all instances.
///
/// The identifiers and edit tokens of idempotent creations are derived from it, from the API key (if there is one) and
/// from the `Idempotency-Key`. So a person who finds an API key cannot compute what it created. It is stored in plain
/// text: a reader of the database still needs the API keys, of which it has only hashes.
#[derive(Clone)]
pub struct InstallationSecret([u8; 32]);

/// A client's name for one creation, so that a retry does not create a second post: 1 to 255 visible
/// ASCII characters. It is not stored, since the post's id and edit token are derived from it.
#[derive(Clone)]
pub(crate) struct IdempotencyKey(String);

opaque_debug!(
    ApiKey,
    EditToken,
    SecretHash,
    InstallationSecret,
    IdempotencyKey
);

impl ApiKey {
    /// What each key begins with.
    pub(crate) const PREFIX: &str = "hb_";

    pub(crate) fn generate() -> Self {
        let secret = base62(&random::bytes::<32>(), SECRET_LEN);
        let unsigned = format!("{}{secret}", Self::PREFIX);
        let checksum = Self::checksum(&unsigned);
        Self(unsigned + &checksum)
    }

    /// The secret. Show it once, to the person that the key was issued to.
    pub fn expose(&self) -> &str {
        &self.0
    }

    pub(crate) fn hash(&self) -> SecretHash {
        SecretHash::of(&self.0)
    }

    fn checksum(unsigned: &str) -> String {
        let crc = crc32fast::hash(unsigned.as_bytes());
        base62(&crc.to_be_bytes(), CHECKSUM_LEN)
    }
}

impl FromStr for ApiKey {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let is_well_formed = text.len() == API_KEY_LEN
            && text.starts_with(Self::PREFIX)
            && is_base62(&text[Self::PREFIX.len()..]);
        let is_valid = is_well_formed && {
            let (unsigned, checksum) = text.split_at(API_KEY_LEN - CHECKSUM_LEN);
            Self::checksum(unsigned) == checksum
        };
        is_valid.then(|| Self(text.to_owned())).ok_or(NOT_A_KEY)
    }
}

impl EditToken {
    pub(crate) fn generate() -> Self {
        Self::from_bits(random::bytes())
    }

    pub(crate) fn from_bits(bits: [u8; 32]) -> Self {
        Self(base62(&bits, SECRET_LEN))
    }

    /// The secret. Show it only to the person who may edit the post.
    pub fn expose(&self) -> &str {
        &self.0
    }

    pub(crate) fn hash(&self) -> SecretHash {
        SecretHash::of(&self.0)
    }
}

impl FromStr for EditToken {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let is_valid = text.len() == SECRET_LEN && is_base62(text);
        is_valid.then(|| Self(text.to_owned())).ok_or(NOT_A_TOKEN)
    }
}

impl SecretHash {
    /// Restores a stored hash.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes of the hash, to store and to look up.
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

impl InstallationSecret {
    pub(crate) fn generate() -> Self {
        Self(random::bytes())
    }

    /// Restores the stored secret.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes of the secret, to store.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Derives 256 bits from this secret, an API key and an idempotency key. Without all of them they
    /// cannot be guessed. Different purposes give different bits.
    pub(crate) fn derive(
        &self,
        api_key: Option<&ApiKey>,
        idempotency_key: &IdempotencyKey,
        purpose: &str,
    ) -> [u8; 32] {
        let api_key = api_key.map_or("", ApiKey::expose);
        self.mac(&[purpose, api_key, &idempotency_key.0])
    }

    /// Identifies an owner to this installation. Others cannot tell who it is, also if they guess.
    #[cfg(feature = "pages")]
    pub(crate) fn hash_of(&self, owner: &super::Owner) -> [u8; 32] {
        self.mac(&["owner", owner.as_str()])
    }

    fn mac(&self, parts: &[&str]) -> [u8; 32] {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0)
            .unwrap_or_else(|_| unreachable!("HMAC takes a key of any length"));
        for part in parts {
            // With its length before each part, different parts never make the same message.
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part.as_bytes());
        }
        mac.finalize().into_bytes().into()
    }
}

impl PartialEq for InstallationSecret {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for InstallationSecret {}

/// Keys that forms have.
#[cfg(feature = "pages")]
impl IdempotencyKey {
    /// A key for a form: 256 bits as 43 base-62 digits. No other client can guess it, so it works without
    /// an API key.
    pub(crate) fn generate() -> Self {
        Self(base62(&random::bytes::<32>(), SECRET_LEN))
    }

    /// Parses a key that [`generate`](Self::generate) made.
    pub(crate) fn parse_generated(text: &str) -> Option<Self> {
        let is_well_formed = text.len() == SECRET_LEN && is_base62(text);
        is_well_formed.then(|| Self(text.to_owned()))
    }

    /// The key for a request with this content. Another content makes another key.
    pub(crate) fn with_content(&self, hash: SecretHash) -> Self {
        let Self(key) = self;
        Self(format!("{key}-{}", super::hex::encode(hash.as_bytes())))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
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

/// A big-endian number of whole 32-bit words in base 62, most significant digit first, padded with zeros to
/// `len` digits.
fn base62(number: &[u8], len: usize) -> String {
    let (words, _) = number.as_chunks();
    let mut words: Vec<u32> = words.iter().copied().map(u32::from_be_bytes).collect();
    let mut next_digit = || {
        // Long division by 62, one word at a time. The remainder is the least significant digit.
        let mut remainder = 0;
        for word in &mut words {
            let dividend = remainder << 32 | u64::from(*word);
            *word = (dividend / 62) as u32;
            remainder = dividend % 62;
        }
        char::from(BASE62[remainder as usize])
    };
    let digits: Vec<char> = (0..len).map(|_| next_digit()).collect();
    digits.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base62_spans_256_bits() {
        assert_eq!(base62(&[0; 32], 43), "0".repeat(43));
        let mut one = [0; 32];
        one[31] = 61;
        assert_eq!(base62(&one, 43), format!("{}z", "0".repeat(42)));
        // 2^256 - 1, computed with arbitrary-precision integers.
        assert_eq!(
            base62(&[0xFF; 32], 43),
            "yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp1"
        );
    }

    #[test]
    fn an_api_key_is_parsed_unless_it_has_a_typing_error() {
        let key = ApiKey::generate();
        assert_eq!(key.expose().len(), 52);
        assert!(key.expose().parse::<ApiKey>().is_ok());
        for position in 0..52 {
            let mut typo = key.expose().as_bytes().to_vec();
            typo[position] = if typo[position] == b'x' { b'y' } else { b'x' };
            let typo = String::from_utf8(typo).unwrap();
            assert!(typo.parse::<ApiKey>().is_err(), "{typo}");
        }
        assert!("".parse::<ApiKey>().is_err());
        assert!("é".repeat(26).parse::<ApiKey>().is_err());
    }

    #[test]
    fn an_edit_token_is_parsed_by_its_form() {
        let token = EditToken::generate();
        assert_eq!(token.expose().len(), 43);
        assert!(token.expose().parse::<EditToken>().is_ok());
        for wrong in ["", &"x".repeat(42), &"-".repeat(43)] {
            assert!(wrong.parse::<EditToken>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn debug_shows_no_secret() {
        let key = ApiKey::generate();
        let token = EditToken::generate();
        assert_eq!(format!("{key:?}"), "ApiKey(..)");
        assert_eq!(format!("{token:?}"), "EditToken(..)");
        assert_eq!(format!("{:?}", token.hash()), "SecretHash(..)");
        let secret = InstallationSecret::generate();
        assert_eq!(format!("{secret:?}"), "InstallationSecret(..)");
    }

    #[test]
    fn derived_bits_differ_by_secret_key_name_and_purpose() {
        let secret = InstallationSecret::from_bytes([7; 32]);
        let (one, two) = (ApiKey::generate(), ApiKey::generate());
        let [a, b] = [b"a", b"b"].map(|name| IdempotencyKey::parse(name).unwrap());
        let bits = secret.derive(Some(&one), &a, "id");
        assert_eq!(bits, secret.derive(Some(&one), &a, "id"));
        let other = InstallationSecret::from_bytes([8; 32]);
        assert_ne!(bits, other.derive(Some(&one), &a, "id"));
        assert_ne!(bits, secret.derive(Some(&two), &a, "id"));
        assert_ne!(bits, secret.derive(None, &a, "id"));
        assert_ne!(bits, secret.derive(Some(&one), &b, "id"));
        assert_ne!(bits, secret.derive(Some(&one), &a, "token"));
    }

    #[test]
    fn derived_bits_are_those_of_hmac_sha_256_over_parts_with_their_lengths() {
        let secret = InstallationSecret::from_bytes(std::array::from_fn(|byte| byte as u8));
        let api_key = ApiKey(format!("hb_{}", "0".repeat(49)));
        let name = IdempotencyKey::parse(b"order-42").unwrap();
        let bits = secret.derive(Some(&api_key), &name, "edit token 0");
        // Computed with another implementation: changing it would break retries across an upgrade.
        assert_eq!(
            crate::post::hex::encode(&bits),
            "5c493788cc9318c4193bf9e9f10a321528c3c492669c6f8aeb47e44a6c323798"
        );
    }
}

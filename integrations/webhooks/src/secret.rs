//! The secrets by which receivers verify what they get.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

const PREFIX: &str = "whsec_";

/// A secret that a webhook and its receiver share: 24 to 64 random bytes, written as `whsec_` and base64.
///
/// ```
/// use handbill_webhooks::Secret;
///
/// let secret: Secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".parse()?;
/// assert_eq!(format!("{secret:?}"), "Secret(..)");
/// # Ok::<_, handbill_webhooks::InvalidSecret>(())
/// ```
#[derive(Clone)]
pub struct Secret(Vec<u8>);

/// A text is not a secret of a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidSecret(());

impl Secret {
    /// A new secret, of 32 bytes.
    #[must_use]
    pub fn generate() -> Self {
        Self(rand::random::<[u8; 32]>().to_vec())
    }

    /// The text to give to the receiver, and to no one else.
    #[must_use]
    pub fn expose(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(&self.0))
    }

    /// The signature of a message (Standard Webhooks 1.0, *Signature scheme*): `v1,` and the base64 of an HMAC-SHA256.
    pub(crate) fn sign(&self, id: &str, timestamp: i64, body: &[u8]) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0)
            .unwrap_or_else(|_| unreachable!("HMAC takes keys of any length"));
        mac.update(format!("{id}.{timestamp}.").as_bytes());
        mac.update(body);
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

impl FromStr for Secret {
    type Err = InvalidSecret;

    fn from_str(text: &str) -> Result<Self, InvalidSecret> {
        let bytes = text.strip_prefix(PREFIX);
        let bytes = bytes.and_then(|base64| STANDARD.decode(base64).ok());
        let bytes = bytes.filter(|bytes| (24..=64).contains(&bytes.len()));
        bytes.map(Self).ok_or(InvalidSecret(()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl fmt::Display for InvalidSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a webhook's secret is whsec_ and the base64 of 24 to 64 bytes")
    }
}

impl Error for InvalidSecret {}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the reference implementations of Standard Webhooks.
    #[test]
    fn a_signature_is_that_of_the_specification() {
        let secret: Secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".parse().unwrap();
        assert_eq!(
            secret.sign(
                "msg_p5jXN8AQM9LWM0D4loKWxJek",
                1_614_265_330,
                br#"{"test": 2432232314}"#
            ),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        );
    }

    #[test]
    fn a_secret_has_24_to_64_bytes() {
        let text = |bytes: usize| format!("whsec_{}", STANDARD.encode(vec![7; bytes]));
        for (bytes, is_valid) in [(23, false), (24, true), (64, true), (65, false)] {
            assert_eq!(text(bytes).parse::<Secret>().is_ok(), is_valid, "{bytes}");
        }
        for invalid in [
            "",
            "whsec_",
            &text(32)[6..],
            "whsec_!",
            &text(32).to_uppercase(),
        ] {
            assert!(invalid.parse::<Secret>().is_err(), "{invalid}");
        }
        let generated = Secret::generate().expose();
        assert_eq!(generated.parse::<Secret>().unwrap().expose(), generated);
    }
}

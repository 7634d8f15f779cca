//! Identifiers of posts and keys: 10 lowercase consonants without `y`, about 43 bits. Without vowels they
//! spell no words.

use std::fmt;
use std::str::FromStr;

use super::{ParseError, random, stored::as_text};

const NOT_VALID: ParseError = ParseError::new("an identifier is 10 lowercase consonants");

const LEN: usize = 10;
const ALPHABET: &[u8; 20] = b"bcdfghjklmnpqrstvwxz";

macro_rules! identifiers {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u8; LEN]);

        impl $name {
            /// A random identifier from a CSPRNG.
            pub fn generate() -> Self {
                Self::from_bits(random::bytes())
            }

            /// Makes an identifier of random bits. The letters are equally likely, to one part in 10^25.
            pub(crate) fn from_bits(bits: [u8; 32]) -> Self {
                let mut rest = bits[..16]
                    .iter()
                    .fold(0_u128, |rest, byte| rest << 8 | u128::from(*byte));
                Self([(); LEN].map(|()| {
                    let letter = ALPHABET[(rest % 20) as usize];
                    rest /= 20;
                    letter
                }))
            }

            /// The identifier's letters.
            pub fn as_str(&self) -> &str {
                str::from_utf8(&self.0).unwrap_or_else(|_| unreachable!("its letters are ASCII"))
            }
        }

        impl FromStr for $name {
            type Err = ParseError;

            fn from_str(text: &str) -> Result<Self, ParseError> {
                let letters: [u8; LEN] = text.as_bytes().try_into().map_err(|_| NOT_VALID)?;
                let is_id = letters.iter().all(|letter| ALPHABET.contains(letter));
                is_id.then_some(Self(letters)).ok_or(NOT_VALID)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({self})", stringify!($name))
            }
        }
    )*};
}

identifiers! {
    /// Identifies a post: 10 lowercase consonants. No other post ever gets the same identifier.
    ///
    /// ```
    /// use handbill::PostId;
    ///
    /// let id: PostId = "kqzvbnmtrd".parse()?;
    /// assert_eq!(id.to_string(), "kqzvbnmtrd");
    /// assert!("hello".parse::<PostId>().is_err());
    /// # Ok::<_, handbill::ParseError>(())
    /// ```
    PostId
    /// Identifies an API key and is not secret: 10 lowercase consonants.
    KeyId
}

as_text!(PostId, KeyId);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ten_lowercase_consonants_are_an_identifier() {
        let id = KeyId::generate();
        assert_eq!(id.as_str().parse(), Ok(id));
        for wrong in [
            "",
            "bcdfghjkl",
            "bcdfghjklmn",
            "bcdfghjkla",
            "BCDFGHJKLM",
            "bcdfghjk%2F",
        ] {
            assert_eq!(wrong.parse::<PostId>(), Err(NOT_VALID), "{wrong}");
        }
        assert_eq!(PostId::from_bits([0; 32]).as_str(), "bbbbbbbbbb");
    }
}

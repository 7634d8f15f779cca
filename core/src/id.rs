//! Identifiers: 10 of the 20 lowercase consonants (`y` counts as a vowel), so that no word is
//! spelled; about 43 bits.

use std::fmt;

use rand::RngExt;

use crate::secret::SecretHash;

const LEN: usize = 10;
const ALPHABET: &[u8; 20] = b"bcdfghjklmnpqrstvwxz";

/// Whether a byte is one of the alphabet's.
const IS_LETTER: [bool; 256] = {
    let mut is_letter = [false; 256];
    let mut at = 0;
    while at < ALPHABET.len() {
        is_letter[ALPHABET[at] as usize] = true;
        at += 1;
    }
    is_letter
};

macro_rules! identifiers {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u8; LEN]);

        impl $name {
            /// The identifier, if the text has the form of one.
            pub fn parse(text: &str) -> Option<Self> {
                let letters: [u8; LEN] = text.as_bytes().try_into().ok()?;
                letters.iter().all(|letter| IS_LETTER[usize::from(*letter)]).then_some(Self(letters))
            }

            /// The identifier's letters.
            pub fn as_str(&self) -> &str {
                str::from_utf8(&self.0).unwrap_or_else(|_| unreachable!("its letters are ASCII"))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
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
    /// Names one post for ever: 10 lowercase consonants, never given out twice.
    PostId
    /// Names one API key without being secret: 10 lowercase consonants.
    KeyId
}

impl KeyId {
    pub(crate) fn generate() -> Self {
        let mut rng = rand::rng();
        Self([(); LEN].map(|()| ALPHABET[rng.random_range(0..ALPHABET.len())]))
    }
}

impl PostId {
    /// The identifier that an edit token's hash names. The core gives a new post the one that its
    /// first edit token's does, so that a store's index of tokens needs rows only for tokens that do
    /// not name their post: replaced ones, mostly, but any post may have any token. A post that is
    /// looked up by the name has the token that was looked for only if the hashes are the same.
    ///
    /// It tells 43 bits of a hash of 256 random ones, which is nothing.
    ///
    /// The first 128 bits make the letters alike in likelihood to one part in 10^25.
    pub fn named_by(token: &SecretHash) -> Self {
        let bits = &token.as_bytes()[..16];
        let mut rest = bits
            .iter()
            .fold(0_u128, |rest, byte| rest << 8 | u128::from(*byte));
        Self([(); LEN].map(|()| {
            let letter = ALPHABET[(rest % 20) as usize];
            rest /= 20;
            letter
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_generated_is_recognised_and_nothing_else() {
        let id = KeyId::generate();
        assert_eq!(KeyId::parse(id.as_str()), Some(id));
        for wrong in [
            "",
            "bcdfghjkl",
            "bcdfghjklmn",
            "bcdfghjkla",
            "BCDFGHJKLM",
            "bcdfghjk%2F",
        ] {
            assert_eq!(PostId::parse(wrong), None, "{wrong}");
        }
        assert_eq!(
            PostId::named_by(&SecretHash::from_bytes([0; 32])).as_str(),
            "bbbbbbbbbb"
        );
    }
}

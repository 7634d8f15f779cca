//! Random bytes for identifiers and secrets.

/// Random bytes from the operating system's CSPRNG. It panics if there are none: nothing else is as hard to guess.
pub(crate) fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .unwrap_or_else(|error| panic!("the operating system has no random bytes: {error}"));
    bytes
}

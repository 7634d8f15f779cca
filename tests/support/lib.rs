//! What the tests and the benchmarks share: the built program, a client that counts every byte,
//! the service in process, and the corpora.

#![expect(clippy::expect_used, reason = "a test stops where it can't go on")]

pub mod load;
pub mod program;
pub mod wire;

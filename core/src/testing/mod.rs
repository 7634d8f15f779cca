//! The contract of [`Store`](crate::Store), as tests.

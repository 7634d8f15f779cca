//! What a client may take: how often requests come, and how much work and memory they get.

pub(crate) mod counter;
#[cfg(feature = "pages")]
pub(crate) mod pages;
pub(crate) mod queue;
pub(crate) mod rate;
pub(crate) mod rate_limiter;
pub(crate) mod response_budget;

//! What a host sees of the service: figures, timings, identifiers of requests, and errors in logs.

pub(crate) mod chain;
pub(crate) mod measured_store;
pub(crate) mod request_id;
pub(crate) mod stats;
pub(crate) mod timings;

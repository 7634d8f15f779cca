//! A lease to one instance at a time, by the clock of this machine.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use handbill::store::MAX_LEASE;
use serde::{Deserialize, Serialize};

use crate::tables::Cause;

#[derive(Default, Deserialize, Serialize)]
pub(crate) struct Lease {
    holder: String,
    /// In milliseconds.
    held_until: u64,
}

impl Lease {
    /// The lease of an instance for so long. `None` if another one has it.
    pub(crate) fn taken(&self, instance: &str, time: Duration) -> Result<Option<Self>, Cause> {
        let now = millis(SystemTime::now().duration_since(UNIX_EPOCH)?);
        let is_held = (now + 1..=now + millis(MAX_LEASE)).contains(&self.held_until);
        if is_held && self.holder != instance {
            return Ok(None);
        }
        let holder = instance.to_owned();
        let held_until = now + millis(time);
        Ok(Some(Self { holder, held_until }))
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex. No code panics while it holds one, so what is behind a poisoned one is consistent.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

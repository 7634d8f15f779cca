//! One question, asked once for all who need its answer.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{self, OnceCell};

/// Asks the same question again and again, each time for all who came before it was asked. Nobody
/// is given an answer to a question that was under way when they came: it may be older than what they
/// have seen. One question is under way at most, and one waits for its turn.
#[derive(Debug)]
pub(super) struct Together<T> {
    /// The question that is not asked yet.
    next: Mutex<Arc<OnceCell<T>>>,
    turn: sync::Mutex<()>,
}

impl<T> Default for Together<T> {
    fn default() -> Self {
        Self {
            next: Mutex::default(),
            turn: sync::Mutex::default(),
        }
    }
}

impl<T: Clone> Together<T> {
    /// The answer to a question that is asked after this is called. Whoever stops waiting leaves it
    /// to the others to ask.
    pub(super) async fn ask(&self, question: impl AsyncFnOnce() -> T) -> T {
        let joined = Arc::clone(&self.next());
        let answer = joined.get_or_init(async || {
            let _turn = self.turn.lock().await;
            {
                let mut next = self.next();
                if Arc::ptr_eq(&next, &joined) {
                    *next = Arc::default();
                }
            }
            question().await
        });
        answer.await.clone()
    }

    // Nothing panics while it holds the lock.
    fn next(&self) -> MutexGuard<'_, Arc<OnceCell<T>>> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use tokio::sync::Semaphore;
    use tokio::task::JoinHandle;

    use super::Together;

    /// Questions that are numbered, and answered when the test lets them be.
    #[derive(Clone)]
    struct Far {
        together: Arc<Together<u32>>,
        asked: Arc<AtomicU32>,
        answers: Arc<Semaphore>,
    }

    impl Far {
        fn new() -> Self {
            Self {
                together: Arc::default(),
                asked: Arc::default(),
                answers: Arc::new(Semaphore::new(0)),
            }
        }

        async fn ask(&self) -> u32 {
            let question = async || {
                let number = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
                self.answers.acquire().await.unwrap().forget();
                number
            };
            self.together.ask(question).await
        }

        /// Somebody who asks, and has come as far as they get.
        async fn come(&self) -> JoinHandle<u32> {
            let far = self.clone();
            let somebody = tokio::spawn(async move { far.ask().await });
            // On a runtime of one thread, each of them runs until it waits.
            tokio::task::yield_now().await;
            somebody
        }

        fn asked(&self) -> u32 {
            self.asked.load(Ordering::SeqCst)
        }
    }

    #[tokio::test]
    async fn who_comes_while_a_question_is_under_way_is_answered_by_the_next() {
        let far = Far::new();
        let first = far.come().await;
        let others = [far.come().await, far.come().await, far.come().await];
        assert_eq!(far.asked(), 1, "one is under way, one waits");
        far.answers.add_permits(1);
        assert_eq!(first.await.unwrap(), 1);
        far.answers.add_permits(1);
        for other in others {
            assert_eq!(other.await.unwrap(), 2);
        }
        assert_eq!(far.asked(), 2);
    }

    #[tokio::test]
    async fn each_question_by_itself_is_asked() {
        let far = Far::new();
        far.answers.add_permits(3);
        for number in 1..=3 {
            assert_eq!(far.ask().await, number);
        }
    }

    #[tokio::test]
    async fn who_stops_waiting_leaves_it_to_the_others() {
        let far = Far::new();
        let asks = far.come().await;
        let waits = far.come().await;
        let stays = far.come().await;
        asks.abort();
        assert!(asks.await.is_err());
        waits.abort();
        assert!(waits.await.is_err());
        far.answers.add_permits(1);
        let number = stays.await.unwrap();
        assert_eq!(number, far.asked(), "the last question is theirs");
        assert!(number > 1, "the question that was given up is not");
    }

    #[tokio::test]
    async fn who_stops_waiting_for_a_turn_leaves_it_to_who_comes_later() {
        let far = Far::new();
        let under_way = far.come().await;
        {
            let mut early = pin!(far.ask());
            let polled = std::future::poll_fn(|context| {
                std::task::Poll::Ready(early.as_mut().poll(context).is_pending())
            });
            assert!(polled.await);
        }
        let late = far.come().await;
        far.answers.add_permits(2);
        assert_eq!(under_way.await.unwrap(), 1);
        assert_eq!(late.await.unwrap(), 2);
    }
}

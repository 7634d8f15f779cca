//! Questions that many have, asked once for all who wait.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{self, OnceCell};
use tokio::task::yield_now;

/// Asks again and again, each time about all that those want to know who came before. Nobody is given
/// an answer to a question that was under way when they came: it may be older than what they have
/// seen. One question is under way at most, and one waits for its turn.
#[derive(Debug)]
pub(super) struct Coalescer<A, T> {
    /// The question that is not asked yet.
    next: Mutex<Arc<Question<A, T>>>,
    turn: sync::Mutex<()>,
}

#[derive(Debug)]
struct Question<A, T> {
    /// Grows for as long as it is not asked.
    about: Mutex<HashSet<A>>,
    answer: OnceCell<T>,
}

impl<A, T> Default for Coalescer<A, T> {
    fn default() -> Self {
        Self {
            next: Mutex::default(),
            turn: sync::Mutex::default(),
        }
    }
}

impl<A, T> Default for Question<A, T> {
    fn default() -> Self {
        Self {
            about: Mutex::default(),
            answer: OnceCell::default(),
        }
    }
}

impl<A: Clone + Eq + Hash, T: Clone> Coalescer<A, T> {
    /// The answer to a question that is asked after this is called, about this and what others want
    /// to know. Whoever stops waiting leaves it to the others to ask.
    pub(super) async fn ask(&self, about: A, question: impl AsyncFnOnce(HashSet<A>) -> T) -> T {
        let joined = {
            let next = lock(&self.next);
            lock(&next.about).insert(about);
            Arc::clone(&next)
        };
        let answer = joined.answer.get_or_init(async || {
            let _turn = self.turn.lock().await;
            // Whose requests have been received but not been looked at come along.
            yield_now().await;
            {
                let mut next = lock(&self.next);
                if Arc::ptr_eq(&next, &joined) {
                    *next = Arc::default();
                }
            }
            let about = lock(&joined.about).clone();
            question(about).await
        });
        answer.await.clone()
    }
}

// Nothing panics while it holds a lock.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::pin::pin;
    use std::sync::{Arc, Mutex};

    use tokio::sync::Semaphore;
    use tokio::task::JoinHandle;

    use super::Coalescer;

    /// Questions that are numbered, and answered when the test lets them be.
    #[derive(Clone)]
    struct Far {
        together: Arc<Coalescer<char, usize>>,
        /// What each question was about.
        asked: Arc<Mutex<Vec<HashSet<char>>>>,
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

        async fn ask(&self, about: char) -> usize {
            let question = async |about| {
                self.asked.lock().unwrap().push(about);
                let number = self.asked();
                self.answers.acquire().await.unwrap().forget();
                number
            };
            self.together.ask(about, question).await
        }

        /// Somebody who asks, and has come as far as they get.
        async fn come(&self, about: char) -> JoinHandle<usize> {
            let far = self.clone();
            let somebody = tokio::spawn(async move { far.ask(about).await });
            // On a runtime of one thread, each of them runs until it waits.
            tokio::task::yield_now().await;
            somebody
        }

        fn asked(&self) -> usize {
            self.asked.lock().unwrap().len()
        }
    }

    #[tokio::test]
    async fn who_comes_while_a_question_is_under_way_is_answered_by_the_next() {
        let far = Far::new();
        let first = far.come('a').await;
        let others = [
            far.come('b').await,
            far.come('c').await,
            far.come('b').await,
        ];
        assert_eq!(far.asked(), 1, "one is under way, one waits");
        far.answers.add_permits(1);
        assert_eq!(first.await.unwrap(), 1);
        far.answers.add_permits(1);
        for other in others {
            assert_eq!(other.await.unwrap(), 2);
        }
        let asked = far.asked.lock().unwrap().clone();
        assert_eq!(asked, [HashSet::from(['a']), HashSet::from(['b', 'c'])]);
    }

    #[tokio::test]
    async fn each_question_by_itself_is_asked() {
        let far = Far::new();
        far.answers.add_permits(3);
        for number in 1..=3 {
            assert_eq!(far.ask('a').await, number);
        }
    }

    #[tokio::test]
    async fn who_stops_waiting_leaves_it_to_the_others() {
        let far = Far::new();
        let asks = far.come('a').await;
        let waits = far.come('a').await;
        let stays = far.come('a').await;
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
        let under_way = far.come('a').await;
        {
            let mut early = pin!(far.ask('a'));
            let polled = std::future::poll_fn(|context| {
                std::task::Poll::Ready(early.as_mut().poll(context).is_pending())
            });
            assert!(polled.await);
        }
        let late = far.come('a').await;
        far.answers.add_permits(2);
        assert_eq!(under_way.await.unwrap(), 1);
        assert_eq!(late.await.unwrap(), 2);
    }
}

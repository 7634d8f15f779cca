//! Coalescing: concurrent callers share one query.

use parking_lot::Mutex;
use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

use tokio::sync::{OnceCell, Semaphore};
use tokio::task::yield_now;

/// Runs queries, each for all callers that came before it began. A caller never gets the response to a
/// query that was under way when it came, which may be older than what the caller has seen. One query
/// waits while the others are under way.
pub(crate) struct Coalescer<K, T> {
    /// The query that has not begun.
    next: Mutex<Arc<Query<K, T>>>,
    turns: Semaphore,
}

struct Query<K, T> {
    /// What its callers want to know. Grows until it begins.
    keys: Mutex<HashSet<K>>,
    response: OnceCell<T>,
}

impl<K, T> Default for Query<K, T> {
    fn default() -> Self {
        Self {
            keys: Mutex::default(),
            response: OnceCell::default(),
        }
    }
}

impl<K: Clone + Eq + Hash, T: Clone> Coalescer<K, T> {
    /// Runs at most so many `queries` at a time.
    pub(crate) fn new(queries: usize) -> Self {
        Self {
            next: Mutex::default(),
            turns: Semaphore::new(queries),
        }
    }

    /// The response to a query that begins after this is called, with this key and those of other
    /// callers. If the caller that runs the query goes away, another one runs it.
    pub(crate) async fn ask(&self, key: K, query: impl AsyncFnOnce(HashSet<K>) -> T) -> T {
        let joined = {
            let next = self.next.lock();
            next.keys.lock().insert(key);
            Arc::clone(&next)
        };
        let response = joined.response.get_or_init(async || {
            let _turn = self.turns.acquire().await;
            // Requests that were already received get to join.
            yield_now().await;
            {
                let mut next = self.next.lock();
                if Arc::ptr_eq(&next, &joined) {
                    *next = Arc::default();
                }
            }
            let keys = joined.keys.lock().clone();
            query(keys).await
        });
        response.await.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::{Arc, Mutex};

    use tokio::sync::Semaphore;
    use tokio::task::JoinHandle;

    use super::Coalescer;

    /// Numbered queries, which return when the test lets them.
    #[derive(Clone)]
    struct Database {
        coalescer: Arc<Coalescer<char, usize>>,
        /// The keys of each query.
        queries: Arc<Mutex<Vec<HashSet<char>>>>,
        responses: Arc<Semaphore>,
    }

    impl Database {
        fn new(queries_at_a_time: usize) -> Self {
            Self {
                coalescer: Arc::new(Coalescer::new(queries_at_a_time)),
                queries: Arc::default(),
                responses: Arc::new(Semaphore::new(0)),
            }
        }

        /// A caller that has asked, and waits.
        async fn caller(&self, key: char) -> JoinHandle<usize> {
            let database = self.clone();
            let caller = tokio::spawn(async move {
                let query = async |keys| {
                    database.queries.lock().unwrap().push(keys);
                    let number = database.queries();
                    database.responses.acquire().await.unwrap().forget();
                    number
                };
                database.coalescer.ask(key, query).await
            });
            // On a runtime of one thread, each of them runs until it waits.
            tokio::task::yield_now().await;
            caller
        }

        fn queries(&self) -> usize {
            self.queries.lock().unwrap().len()
        }
    }

    #[tokio::test]
    async fn a_caller_that_comes_during_a_query_gets_the_next_response() {
        let database = Database::new(1);
        let first = database.caller('a').await;
        let others = [
            database.caller('b').await,
            database.caller('c').await,
            database.caller('b').await,
        ];
        assert_eq!(database.queries(), 1, "one is under way, one waits");
        database.responses.add_permits(1);
        assert_eq!(first.await.unwrap(), 1);
        database.responses.add_permits(1);
        for other in others {
            assert_eq!(other.await.unwrap(), 2);
        }
        let queries = database.queries.lock().unwrap().clone();
        assert_eq!(queries, [HashSet::from(['a']), HashSet::from(['b', 'c'])]);
    }

    #[tokio::test]
    async fn as_many_queries_as_wanted_are_under_way_and_one_waits() {
        let database = Database::new(2);
        let mut callers = Vec::new();
        for key in ['a', 'b', 'c', 'd'] {
            callers.push(database.caller(key).await);
        }
        assert_eq!(database.queries(), 2);
        database.responses.add_permits(3);
        for (caller, number) in callers.into_iter().zip([1, 2, 3, 3]) {
            assert_eq!(caller.await.unwrap(), number);
        }
        let queries = database.queries.lock().unwrap().clone();
        let keys = [vec!['a'], vec!['b'], vec!['c', 'd']];
        assert_eq!(queries, keys.map(HashSet::from_iter));
    }

    /// This many callers, and one more, which goes away at any point.
    fn calls(staying: u8, queries_at_a_time: usize) {
        let coalescer: Arc<Coalescer<u8, usize>> = Arc::new(Coalescer::new(queries_at_a_time));
        let queries: Arc<Mutex<Vec<HashSet<u8>>>> = Arc::default();
        let server = Arc::new(Semaphore::new(queries_at_a_time));
        let call = |caller: u8| {
            let (coalescer, queries) = (Arc::clone(&coalescer), Arc::clone(&queries));
            let server = Arc::clone(&server);
            shuttle::future::spawn(async move {
                let earlier = queries.lock().unwrap().len();
                let query = async |keys| {
                    let _permit = server.try_acquire().expect("too many queries at a time");
                    let number = {
                        let mut queries = queries.lock().unwrap();
                        queries.push(keys);
                        queries.len()
                    };
                    shuttle::future::yield_now().await;
                    number
                };
                let number = coalescer.ask(caller, query).await;
                assert!(number > earlier, "a query that began before the call");
                let keys = queries.lock().unwrap()[number - 1].clone();
                assert!(keys.contains(&caller), "a query of others");
            })
        };
        let staying: Vec<_> = (1..=staying).map(call).collect();
        call(0).abort();
        for caller in staying {
            shuttle::future::block_on(caller).unwrap();
        }
    }

    #[test]
    fn in_every_order_of_steps_a_caller_gets_a_query_that_began_after_it_came() {
        shuttle::check_dfs(|| calls(2, 1), None);
    }

    #[test]
    fn in_any_order_of_steps_a_caller_gets_a_query_that_began_after_it_came() {
        for queries_at_a_time in [1, 2] {
            shuttle::check_random(move || calls(3, queries_at_a_time), 20_000);
        }
    }
}

//! The contract of `Store`, with a replica in use.

use crate::servers::Pair;

handbill_testing::store_checks!(async {
    let pair = Pair::shared().await?;
    let store = pair.database().await.open().await;
    Some((store, pair))
});

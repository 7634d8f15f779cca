//! Faults of bars.

use handbill::store::{Authority, Bar, Outcome, SecretHash, Store, StoreError, Timestamp, Write};

use crate::fault::Fault::*;
use crate::faulty::Faulty;

impl Faulty {
    /// Makes a write in a name.
    pub(crate) async fn write_by(
        &self,
        mut write: Write,
        by: Authority,
    ) -> Result<Outcome, StoreError> {
        let changed = match (self.fault, &mut write) {
            (Some(LetsBarredOwnersDelete), Write::DeletePost { by, .. })
            | (Some(LetsBarredOwnersIssueKeys), Write::InsertKey { by, .. }) => by,
            (
                Some(EndsBarsTooEarly | BarsLaterWrites | LooksBeforeItIsBarred),
                Write::InsertPost { by, .. },
            ) => by,
            _ => return self.inner.write(write, None).await,
        };
        let until = self.until(by.owner).await?;
        *changed = None;
        let is_barred = match self.fault {
            Some(EndsBarsTooEarly) => until > Some(by.at),
            Some(BarsLaterWrites) => until.is_some(),
            Some(LooksBeforeItIsBarred) => {
                let is_barred = until >= Some(by.at);
                self.meet();
                is_barred
            }
            _ => false,
        };
        match is_barred {
            true => Ok(Outcome::Barred),
            false => self.inner.write(write, None).await,
        }
    }

    pub(crate) async fn faulty_bar(
        &self,
        owner: SecretHash,
        until: Timestamp,
    ) -> Result<Outcome, StoreError> {
        let before = self.until(owner).await?;
        match self.fault {
            Some(SetsBarsEarlier) => {}
            Some(LooksBeforeItBars) if before < Some(until) => self.meet(),
            _ => return self.inner.write(Write::Bar { owner, until }, None).await,
        }
        let _ = self.inner.write(Write::Bar { owner, until }, None).await?;
        let at = until;
        let _ = self.inner.write(Write::Unbar { owner, at }, None).await?;
        Ok(Outcome::Applied)
    }

    pub(crate) async fn faulty_unbar(
        &self,
        owner: SecretHash,
        at: Timestamp,
    ) -> Result<Outcome, StoreError> {
        let at = match self.has(RemovesBars) {
            true => Timestamp::from_micros(0),
            false => at,
        };
        self.inner.write(Write::Unbar { owner, at }, None).await
    }

    pub(crate) async fn faulty_bars(
        &self,
        after: Option<SecretHash>,
        limit: u32,
    ) -> Result<Vec<Bar>, StoreError> {
        let mut bars = self.inner.walk_bars(after, limit).await?;
        if self.has(WalksBarsByTime) {
            bars.sort_by_key(|bar| bar.until);
        }
        Ok(bars)
    }

    async fn until(&self, owner: SecretHash) -> Result<Option<Timestamp>, StoreError> {
        let bars = self.inner.walk_bars(None, u32::MAX).await?;
        let bar = bars.into_iter().find(|bar| bar.owner == owner);
        Ok(bar.map(|bar| bar.until))
    }
}

//! The faults.

/// Ways to break the contract of `Store`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    LosesHowItWasCreated,
    TrimsBodies,
    CutsTimesToMilliseconds,
    FailsOnWhatIsAbsent,
    OverwritesOnConflict,
    FreesDeletedIdentifiers,
    KeepsOldTitles,
    UpdatesAnyRevision,
    InsertsOnUpdate,
    DeletesAnyRevision,
    DeletesWhatIsNotThere,
    ForgetsTombstones,
    RevealsDeletedDrafts,
    DecidesOnFirstRevisions,
    FindsNothingByTokens,
    FindsReplacedTokens,
    FindsFirstTokensOnly,
    ForgetsTokensOfTombstones,
    FailsOnEmptyLists,
    ListsOldestFirst,
    TurnsTiesAround,
    ListsInOrderOfArrival,
    OverlapsPages,
    KnowsNoTotalPastTheEnd,
    ListsDeletedPosts,
    CountsDeletedPosts,
    ListsByFirstTags,
    FoldsTags,
    ListsPostsAsTheyWere,
    AlwaysListsBodies,
    ListsDrafts,
    SortsByCreation,
    PublishesAgain,
    PublishesDraftsAtTheirCreation,
    CountsHiddenPosts,
    HidesDraftsFromTheirOwners,
    CountsFromTheNextInstant,
    ShowsHiddenPostsOfOwners,
    TurnsTiesOfOwnersAround,
    IgnoresTagsOfOwners,
    FoldsOwners,
    ListsPostsOfOwnersAsTheyWere,
    ReturnsThePlaceItself,
    ReturnsTheNewestBeforePlaces,
    CountsFromPlaces,
    IgnoresTagsBesidePlaces,
    SortsPlacesOfOwnersByPublication,
    LosesPlacesOfDeletedPosts,
    ComparesPlacesByTime,
    CountsTagsOfDrafts,
    SortsTagsByName,
    ReturnsOneTagTooMany,
    RemembersTags,
    LosesLongTags,
    LosesTimes,
    ListsDueByIdentifier,
    ListsWhatWasDue,
    SkipsTombstones,
    LosesItsPlaceOnWalks,
    WalksByOffset,
    InsertsFirstRevisions,
    LosesOwnersOfTombstones,
    FindsNoInsertedTombstones,
    OverwritesByTombstones,
    FreesInsertedTombstones,
    LosesOwnersOfKeys,
    CachesTombstones,
    ForgetsOwnersOfLivePosts,
    FoldsForgottenOwners,
    ForgetsBeyondTheLimit,
    ForgetsAbsentOwners,
    LeavesOwnersToOtherCallers,
    LetsBarredOwnersDelete,
    LetsBarredOwnersIssueKeys,
    EndsBarsTooEarly,
    BarsLaterWrites,
    SetsBarsEarlier,
    RemovesBars,
    WalksBarsByTime,
    LooksBeforeItIsBarred,
    LooksBeforeItBars,
    CapsPages,
    SkipsOneBetweenBlocks,
    TurnsTiesAroundInLongLists,
    LooksBeforeItInserts,
    LooksBeforeItUpdates,
    LooksBeforeItDeletes,
    DropsWritesThatMeet,
    ReturnsCachedListsOnce,
    CountsAfterItLists,
    LosesLastUses,
    RemembersAbsentSecrets,
    OverwritesKeys,
    WalksKeysByTime,
    NotesNoUse,
    FailsToNoteTheUseOfNoKey,
    KeepsRevokedKeys,
    RemembersKeysTooLate,
    KeepsSecretsOfRevokedKeys,
    RevokesWhatIsNotThere,
    ReturnsEachCandidate,
    LooksBeforeItStoresTheSecret,
    IsNeverHealthy,
    ForgetsChangesOfDeletions,
    AddsChangesOfConflicts,
    ForgetsWhatWaitsWhenAdded,
    NumbersWhatIsDue,
    TellsAllChangesAtOnce,
    ForgetsFailures,
    TriesAgainAtOnce,
    WaitsForAClockThatWasSetBack,
    SettlesForAll,
    LeasesToMany,
    KeepsWhatWaitsWhenRemoved,
    LosesChangesThatMeet,
    TakesWordsForBeginnings,
    IgnoresLaterTerms,
    KeepsEarlierWords,
    KeepsWordsOfDeletedPosts,
    SearchesHiddenPostsOfOwners,
    IgnoresTagsOfSearches,
    LosesMarks,
    TakesWordsApart,
    AddsWordsOfConflicts,
    LosesWordsThatMeet,
    IncludesTheEndOfPeriods,
    LimitsBeforeItSearches,
    BeginsSearchesAtTheTop,
    IndexesWordsAlone,
    IndexesAnyRevision,
    IsAlwaysComplete,
    LeasesIndexingToMany,

    /// The setup fails.
    RefusesAllWrites,
    /// The setup fails.
    Panics,
}

impl Fault {
    /// Whether it shows on pages that begin after or before a place.
    pub(crate) const fn is_of_places(self) -> bool {
        matches!(
            self,
            Self::ReturnsThePlaceItself
                | Self::ReturnsTheNewestBeforePlaces
                | Self::CountsFromPlaces
                | Self::IgnoresTagsBesidePlaces
                | Self::SortsPlacesOfOwnersByPublication
                | Self::LosesPlacesOfDeletedPosts
                | Self::ComparesPlacesByTime
        )
    }

    /// Whether it shows in what is written in a name. Stores with another fault have no bars.
    pub(crate) const fn is_of_bars(self) -> bool {
        matches!(
            self,
            Self::LetsBarredOwnersDelete
                | Self::LetsBarredOwnersIssueKeys
                | Self::EndsBarsTooEarly
                | Self::BarsLaterWrites
                | Self::SetsBarsEarlier
                | Self::RemovesBars
                | Self::WalksBarsByTime
                | Self::LooksBeforeItIsBarred
                | Self::LooksBeforeItBars
        )
    }

    /// Whether it is one of the outbox. A store with another fault has none: its faults are in the methods of `Store`.
    pub(crate) const fn is_of_outbox(self) -> bool {
        matches!(
            self,
            Self::ForgetsChangesOfDeletions
                | Self::AddsChangesOfConflicts
                | Self::ForgetsWhatWaitsWhenAdded
                | Self::NumbersWhatIsDue
                | Self::TellsAllChangesAtOnce
                | Self::ForgetsFailures
                | Self::TriesAgainAtOnce
                | Self::WaitsForAClockThatWasSetBack
                | Self::SettlesForAll
                | Self::LeasesToMany
                | Self::KeepsWhatWaitsWhenRemoved
                | Self::LosesChangesThatMeet
        )
    }

    /// Whether it is one of the index. A store with another fault has none, as it has no outbox.
    pub(crate) const fn is_of_index(self) -> bool {
        matches!(
            self,
            Self::TakesWordsForBeginnings
                | Self::IgnoresLaterTerms
                | Self::KeepsEarlierWords
                | Self::KeepsWordsOfDeletedPosts
                | Self::SearchesHiddenPostsOfOwners
                | Self::IgnoresTagsOfSearches
                | Self::LosesMarks
                | Self::TakesWordsApart
                | Self::AddsWordsOfConflicts
                | Self::LosesWordsThatMeet
                | Self::IncludesTheEndOfPeriods
                | Self::LimitsBeforeItSearches
                | Self::BeginsSearchesAtTheTop
                | Self::IndexesWordsAlone
                | Self::IndexesAnyRevision
                | Self::IsAlwaysComplete
                | Self::LeasesIndexingToMany
        )
    }
}

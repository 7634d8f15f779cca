--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: handbill_change_numbers; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.handbill_change_numbers
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: handbill_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.handbill_keys (
    id text NOT NULL COLLATE pg_catalog."C",
    secret bytea NOT NULL,
    label text,
    owner text NOT NULL,
    created_at bigint NOT NULL,
    last_used_at bigint
);


--
-- Name: handbill_list_blocks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.handbill_list_blocks (
    list text NOT NULL COLLATE pg_catalog."C",
    start bigint NOT NULL,
    entries_before bigint NOT NULL
);


--
-- Name: handbill_list_changes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.handbill_list_changes (
    list text NOT NULL COLLATE pg_catalog."C",
    change text NOT NULL COLLATE pg_catalog."C",
    oldest bigint NOT NULL,
    newest bigint NOT NULL,
    entries bigint NOT NULL
);


--
-- Name: handbill_list_entries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.handbill_list_entries (
    list text NOT NULL COLLATE pg_catalog."C",
    listed_at bigint NOT NULL,
    post text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: handbill_list_totals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.handbill_list_totals (
    list text NOT NULL COLLATE pg_catalog."C",
    entries bigint NOT NULL
);


--
-- Name: handbill_listeners; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.handbill_listeners (
    name text NOT NULL COLLATE pg_catalog."C",
    holder text,
    held_until bigint DEFAULT 0 NOT NULL
);


--
-- Name: handbill_meta; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.handbill_meta (
    name text NOT NULL COLLATE pg_catalog."C",
    value bigint NOT NULL
);


--
-- Name: handbill_posts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.handbill_posts (
    id text NOT NULL COLLATE pg_catalog."C",
    deleted boolean NOT NULL,
    revision bigint NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    edit_token bytea NOT NULL,
    created_by text,
    creation_edit_token bytea,
    creation_request bytea,
    title text,
    focus_keyword text,
    tags text NOT NULL,
    excerpt text NOT NULL,
    heading text,
    author text,
    language text,
    visibility text NOT NULL,
    owner text COLLATE pg_catalog."C",
    published_at bigint,
    listed_at bigint,
    body text NOT NULL
);


--
-- Name: handbill_secrets; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.handbill_secrets (
    name text NOT NULL COLLATE pg_catalog."C",
    secret bytea NOT NULL
);


--
-- Name: handbill_waiting_changes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.handbill_waiting_changes (
    listener text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    subject text NOT NULL COLLATE pg_catalog."C",
    made_at bigint NOT NULL,
    due bigint DEFAULT 0 NOT NULL,
    attempts bigint DEFAULT 0 NOT NULL,
    change text NOT NULL
);


--
-- Data for Name: handbill_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_keys VALUES ('dmcsgdwlgn', '\x6e83f967ed8597a02658b513b823da20a5599c31543b9418f0be6456102c6ea4', 'the newsroom', 'user:42', 1795586048658615, 1795582800000000);
INSERT INTO public.handbill_keys VALUES ('sxgmtpqsrs', '\x053f95f3add9b96a9df5a3f143887693f7d01570a2f044427fbcf26023059a9c', 'the newsroom', 'key:sxgmtpqsrs', 1795586048659713, 1795582800000000);


--
-- Data for Name: handbill_list_blocks; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: handbill_list_changes; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: handbill_list_entries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_list_entries VALUES ('all', 1795586048664671, 'kpvmtjgqsr');
INSERT INTO public.handbill_list_entries VALUES ('tag:rust', 1795586048664671, 'kpvmtjgqsr');
INSERT INTO public.handbill_list_entries VALUES ('tag:été', 1795586048664671, 'kpvmtjgqsr');
INSERT INTO public.handbill_list_entries VALUES ('tag:a tag of two words', 1795586048664671, 'kpvmtjgqsr');
INSERT INTO public.handbill_list_entries VALUES ('all', 1795586048669274, 'hvltrkrqbs');
INSERT INTO public.handbill_list_entries VALUES ('tag:été', 1795586048669274, 'hvltrkrqbs');
INSERT INTO public.handbill_list_entries VALUES ('tag:rust', 1795586048669274, 'hvltrkrqbs');
INSERT INTO public.handbill_list_entries VALUES ('all', 1795586048680187, 'vrgbbstnfb');
INSERT INTO public.handbill_list_entries VALUES ('tag:host', 1795586048680187, 'vrgbbstnfb');


--
-- Data for Name: handbill_list_totals; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_list_totals VALUES ('all', 3);
INSERT INTO public.handbill_list_totals VALUES ('tag:a tag of two words', 1);
INSERT INTO public.handbill_list_totals VALUES ('tag:host', 1);
INSERT INTO public.handbill_list_totals VALUES ('tag:rust', 2);
INSERT INTO public.handbill_list_totals VALUES ('tag:été', 2);


--
-- Data for Name: handbill_listeners; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: handbill_meta; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_meta VALUES ('schema', 7);
INSERT INTO public.handbill_meta VALUES ('count', 1);


--
-- Data for Name: handbill_posts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_posts VALUES ('kpvmtjgqsr', false, 1, 1795586048664671, 1795586048664671, '\xf8ff9e6f0391c2ab5b999b95e92caf5b39efb7947435228789ef77b5f865d409', 'dmcsgdwlgn', '\xf8ff9e6f0391c2ab5b999b95e92caf5b39efb7947435228789ef77b5f865d409', '\x2528f536bd3cb235b04ae0d51e0936b9b985ccb56b06cdbd101a79d0482889b7', 'Grüße, 👋', 'focus_keyword 1', '["rust","été","a tag of two words"]', 'The beginning. and a tab', 'A heading', 'author 1', 'en-x-1', 'public', 'user:42', 1795586048664671, 1795586048664671, '# A heading

The *beginning*.

```rust
let a = 1;
```

[^1] and	a tab

[^1]: A note.
');
INSERT INTO public.handbill_posts VALUES ('jvjbxwggbs', false, 1, 1795586048667130, 1795586048667130, '\x9840e0ae1b274aff8bae7c5f57ddb88a9d4e652d5f283535d8783c54ef0acda8', 'dmcsgdwlgn', '\x9840e0ae1b274aff8bae7c5f57ddb88a9d4e652d5f283535d8783c54ef0acda8', '\xe7d3d8263f15b8dfdffaf2d200afc7ad4c0d7453ae53949518d147b6b939d97e', NULL, NULL, '["rust"]', 'By address only.', NULL, NULL, NULL, 'unlisted', 'user:42', NULL, NULL, 'By address only.');
INSERT INTO public.handbill_posts VALUES ('rntlsmzcwt', false, 1, 1795586048668191, 1795586048668191, '\x82106aeae3cd11b904d480bddbf8a3a25077953b7cb3f44a33fc968515d1f542', 'dmcsgdwlgn', '\x82106aeae3cd11b904d480bddbf8a3a25077953b7cb3f44a33fc968515d1f542', '\x025b614958c2b373f85979ab7e23925114fb4c5259b1fb616c68857db1757d71', 'Not yet', NULL, '[]', 'A draft.', NULL, NULL, NULL, 'draft', 'user:42', NULL, NULL, 'A draft.');
INSERT INTO public.handbill_posts VALUES ('hvltrkrqbs', false, 3, 1795586048669274, 1795586048672761, '\x4074e90890f94f2082d6c751c53f43dbeaf1cf7de433caf368a633adffb81232', 'sxgmtpqsrs', '\x4074e90890f94f2082d6c751c53f43dbeaf1cf7de433caf368a633adffb81232', '\x6881764564a7287557446ea9ea82c6be00c06320e3f73c08d5005d9f54cc7dbc', 'Third', NULL, '["rust","été"]', 'Two.', NULL, NULL, NULL, 'public', 'key:sxgmtpqsrs', 1795586048669274, 1795586048669274, 'Two.');
INSERT INTO public.handbill_posts VALUES ('cvbcclxxcj', false, 2, 1795586048674046, 1795586048675072, '\x9f478b1af848c87c7a9cb85a046ba02403f8587b68cc316e2b4d8f98b5a85617', 'sxgmtpqsrs', '\x9f478b1af848c87c7a9cb85a046ba02403f8587b68cc316e2b4d8f98b5a85617', '\xe3367ae00d091c4a00194a0882953a67f4467cfda0efcd3b2769851ae28a29ae', NULL, NULL, '["hidden"]', 'Was public.', NULL, NULL, NULL, 'draft', 'key:sxgmtpqsrs', 1795586048674046, NULL, 'Was public.');
INSERT INTO public.handbill_posts VALUES ('rvzqnpvkpx', true, 1, 1795586048676199, 1795586048676199, '\xbb1ec38d1e7662d95de50e3edd9047dc8f0e6448e15807656165cdf9bb6cd1a7', 'dmcsgdwlgn', '\xbb1ec38d1e7662d95de50e3edd9047dc8f0e6448e15807656165cdf9bb6cd1a7', '\x5aea6472d3f89a8bb6322273d35c86f8a1c3162f2abce16d9884224312f50226', NULL, NULL, '[]', '', NULL, NULL, NULL, 'public', 'user:42', NULL, NULL, '');
INSERT INTO public.handbill_posts VALUES ('tkngztxvmb', true, 1, 1795586048678604, 1795586048678604, '\xea01636feb77bab01009312f21bdf39b6968bacab6e87f92ad5a9a1ca093fc8d', 'dmcsgdwlgn', '\xea01636feb77bab01009312f21bdf39b6968bacab6e87f92ad5a9a1ca093fc8d', '\x2b49e8025f96cc71511f696fe7d22db3ec0c7eb254c052c0d60c4e7b0f3ab37c', NULL, NULL, '[]', '', NULL, NULL, NULL, 'draft', 'user:42', NULL, NULL, '');
INSERT INTO public.handbill_posts VALUES ('vrgbbstnfb', false, 1, 1795586048680187, 1795586048680187, '\x197c254a845ea9fee5344fec2e1355e093add724b5770e0945fd38a5ea6e58bd', NULL, NULL, NULL, 'Of the host', NULL, '["host"]', 'Of no owner.', NULL, NULL, NULL, 'public', NULL, 1795586048680187, 1795586048680187, 'Of no owner.');


--
-- Data for Name: handbill_secrets; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_secrets VALUES ('installation', '\xce8353e141a403c1bb63893ca7a19deb576b0fa26aeed2aad2885083c436bfb6');


--
-- Data for Name: handbill_waiting_changes; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Name: handbill_change_numbers; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.handbill_change_numbers', 1, false);


--
-- Name: handbill_keys handbill_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handbill_keys
    ADD CONSTRAINT handbill_keys_pkey PRIMARY KEY (id);


--
-- Name: handbill_list_blocks handbill_list_blocks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handbill_list_blocks
    ADD CONSTRAINT handbill_list_blocks_pkey PRIMARY KEY (list, start);


--
-- Name: handbill_list_changes handbill_list_changes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handbill_list_changes
    ADD CONSTRAINT handbill_list_changes_pkey PRIMARY KEY (list, change);


--
-- Name: handbill_list_entries handbill_list_entries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handbill_list_entries
    ADD CONSTRAINT handbill_list_entries_pkey PRIMARY KEY (list, listed_at, post);


--
-- Name: handbill_list_totals handbill_list_totals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handbill_list_totals
    ADD CONSTRAINT handbill_list_totals_pkey PRIMARY KEY (list);


--
-- Name: handbill_listeners handbill_listeners_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handbill_listeners
    ADD CONSTRAINT handbill_listeners_pkey PRIMARY KEY (name);


--
-- Name: handbill_meta handbill_meta_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handbill_meta
    ADD CONSTRAINT handbill_meta_pkey PRIMARY KEY (name);


--
-- Name: handbill_posts handbill_posts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handbill_posts
    ADD CONSTRAINT handbill_posts_pkey PRIMARY KEY (id);


--
-- Name: handbill_secrets handbill_secrets_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handbill_secrets
    ADD CONSTRAINT handbill_secrets_pkey PRIMARY KEY (name);


--
-- Name: handbill_waiting_changes handbill_waiting_changes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handbill_waiting_changes
    ADD CONSTRAINT handbill_waiting_changes_pkey PRIMARY KEY (listener, number);


--
-- Name: handbill_keys_by_secret; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX handbill_keys_by_secret ON public.handbill_keys USING btree (secret);


--
-- Name: handbill_list_blocks_by_entries_before; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX handbill_list_blocks_by_entries_before ON public.handbill_list_blocks USING btree (list, entries_before);


--
-- Name: handbill_list_totals_by_entries; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX handbill_list_totals_by_entries ON public.handbill_list_totals USING btree (entries DESC, list) WHERE ((list >= 'tag:'::text) AND (list < 'tag;'::text));


--
-- Name: handbill_posts_by_edit_token; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX handbill_posts_by_edit_token ON public.handbill_posts USING btree (edit_token);


--
-- Name: handbill_posts_by_owner; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX handbill_posts_by_owner ON public.handbill_posts USING btree (owner, created_at, id) WHERE ((owner IS NOT NULL) AND (NOT deleted));


--
-- Name: handbill_tombstones_by_owner; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX handbill_tombstones_by_owner ON public.handbill_posts USING btree (owner) WHERE ((owner IS NOT NULL) AND deleted);


--
-- Name: handbill_waiting_changes_by_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX handbill_waiting_changes_by_due ON public.handbill_waiting_changes USING btree (listener, due, number);


--
-- Name: handbill_waiting_changes_by_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX handbill_waiting_changes_by_subject ON public.handbill_waiting_changes USING btree (listener, subject, number);


--
-- PostgreSQL database dump complete
--



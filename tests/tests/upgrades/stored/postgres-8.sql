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

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: handbill_bars; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.handbill_bars (
    owner bytea NOT NULL,
    until bigint NOT NULL
);


--
-- Name: handbill_change_numbers; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.handbill_change_numbers
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


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
-- Data for Name: handbill_bars; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: handbill_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_keys VALUES ('rnxrpmcqfd', '\x806c7989486a2987d1fc3ea2a8bf1561089579392134722937c2e6063a105fbe', 'the newsroom', 'user:42', 1795710693335329, 1795708800000000);
INSERT INTO public.handbill_keys VALUES ('ddjrzskzds', '\x7d4af827e862c9338b39f5fe97e2735ea72402f783fcc16176b29188c47b6c5b', 'the newsroom', 'key:ddjrzskzds', 1795710693357871, 1795708800000000);


--
-- Data for Name: handbill_list_blocks; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: handbill_list_changes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_list_changes VALUES ('tag:rust', 'jfbbzvbccz', 1795710693374126, 1795710693374126, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:été', 'jfbbzvbccz', 1795710693374126, 1795710693374126, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:a tag of two words', 'jfbbzvbccz', 1795710693374126, 1795710693374126, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'jfbbzvbccz', 1795710693374126, 1795710693374126, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:été', 'htdhfhgdbc', 1795710693383284, 1795710693383284, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'htdhfhgdbc', 1795710693383284, 1795710693383284, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:rust', 'htdhfhgdbc/2', 1795710693383284, 1795710693383284, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:hidden', 'gqlqfdxmps', 1795710693399204, 1795710693399204, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'gqlqfdxmps', 1795710693399204, 1795710693399204, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'gqlqfdxmps/1', 1795710693399204, 1795710693399204, -1);
INSERT INTO public.handbill_list_changes VALUES ('tag:hidden', 'gqlqfdxmps/1', 1795710693399204, 1795710693399204, -1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'xgfcbnsdqg', 1795710693402559, 1795710693402559, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'xgfcbnsdqg/1', 1795710693402559, 1795710693402559, -1);
INSERT INTO public.handbill_list_changes VALUES ('tag:host', 'nxxztmhchz', 1795710693410710, 1795710693410710, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'nxxztmhchz', 1795710693410710, 1795710693410710, 1);


--
-- Data for Name: handbill_list_entries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_list_entries VALUES ('all', 1795710693374126, 'jfbbzvbccz');
INSERT INTO public.handbill_list_entries VALUES ('tag:rust', 1795710693374126, 'jfbbzvbccz');
INSERT INTO public.handbill_list_entries VALUES ('tag:été', 1795710693374126, 'jfbbzvbccz');
INSERT INTO public.handbill_list_entries VALUES ('tag:a tag of two words', 1795710693374126, 'jfbbzvbccz');
INSERT INTO public.handbill_list_entries VALUES ('all', 1795710693383284, 'htdhfhgdbc');
INSERT INTO public.handbill_list_entries VALUES ('tag:été', 1795710693383284, 'htdhfhgdbc');
INSERT INTO public.handbill_list_entries VALUES ('tag:rust', 1795710693383284, 'htdhfhgdbc');
INSERT INTO public.handbill_list_entries VALUES ('all', 1795710693410710, 'nxxztmhchz');
INSERT INTO public.handbill_list_entries VALUES ('tag:host', 1795710693410710, 'nxxztmhchz');


--
-- Data for Name: handbill_list_totals; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: handbill_listeners; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: handbill_meta; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_meta VALUES ('count', 0);
INSERT INTO public.handbill_meta VALUES ('schema', 8);


--
-- Data for Name: handbill_posts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_posts VALUES ('jfbbzvbccz', false, 1, 1795710693374126, 1795710693374126, '\xaf1bc7a9a0e93876e8abcb8f6763e7d163d2533a883d6d00bb2be5cb3929e1a1', 'rnxrpmcqfd', '\xaf1bc7a9a0e93876e8abcb8f6763e7d163d2533a883d6d00bb2be5cb3929e1a1', '\x2528f536bd3cb235b04ae0d51e0936b9b985ccb56b06cdbd101a79d0482889b7', 'Grüße, 👋', 'focus_keyword 1', '["rust","été","a tag of two words"]', 'The beginning. and a tab', 'A heading', 'author 1', 'en-x-1', 'public', 'user:42', 1795710693374126, 1795710693374126, '# A heading

The *beginning*.

```rust
let a = 1;
```

[^1] and	a tab

[^1]: A note.
');
INSERT INTO public.handbill_posts VALUES ('zfkxvdctdq', false, 1, 1795710693379071, 1795710693379071, '\x3bacf1e02792561a52f3add6b501d0654eeeb1924f2a166468d39b6631a5653e', 'rnxrpmcqfd', '\x3bacf1e02792561a52f3add6b501d0654eeeb1924f2a166468d39b6631a5653e', '\xe7d3d8263f15b8dfdffaf2d200afc7ad4c0d7453ae53949518d147b6b939d97e', NULL, NULL, '["rust"]', 'By address only.', NULL, NULL, NULL, 'unlisted', 'user:42', NULL, NULL, 'By address only.');
INSERT INTO public.handbill_posts VALUES ('vfgzrlqbwl', false, 1, 1795710693381087, 1795710693381087, '\xa5997c73aed5fded04c9af92f260037c96405672a02b5c5105a9499e099b2bee', 'rnxrpmcqfd', '\xa5997c73aed5fded04c9af92f260037c96405672a02b5c5105a9499e099b2bee', '\x025b614958c2b373f85979ab7e23925114fb4c5259b1fb616c68857db1757d71', 'Not yet', NULL, '[]', 'A draft.', NULL, NULL, NULL, 'draft', 'user:42', NULL, NULL, 'A draft.');
INSERT INTO public.handbill_posts VALUES ('htdhfhgdbc', false, 3, 1795710693383284, 1795710693397004, '\x6aa5bda5330003f0cf3f5bbdb46a4be9a6a35e92f6e260bf1735da966d127298', 'ddjrzskzds', '\x6aa5bda5330003f0cf3f5bbdb46a4be9a6a35e92f6e260bf1735da966d127298', '\x6881764564a7287557446ea9ea82c6be00c06320e3f73c08d5005d9f54cc7dbc', 'Third', NULL, '["rust","été"]', 'Two.', NULL, NULL, NULL, 'public', 'key:ddjrzskzds', 1795710693383284, 1795710693383284, 'Two.');
INSERT INTO public.handbill_posts VALUES ('gqlqfdxmps', false, 2, 1795710693399204, 1795710693400651, '\xe31c68b31ec43fc91e69875f892584704c9afd73c747afb22d13dc25793e26f6', 'ddjrzskzds', '\xe31c68b31ec43fc91e69875f892584704c9afd73c747afb22d13dc25793e26f6', '\xe3367ae00d091c4a00194a0882953a67f4467cfda0efcd3b2769851ae28a29ae', NULL, NULL, '["hidden"]', 'Was public.', NULL, NULL, NULL, 'draft', 'key:ddjrzskzds', 1795710693399204, NULL, 'Was public.');
INSERT INTO public.handbill_posts VALUES ('xgfcbnsdqg', true, 1, 1795710693402559, 1795710693402559, '\x53b680266a693786f44dba28b60a0da40bab4885827a73bd1586294f33f0a6ad', 'rnxrpmcqfd', '\x53b680266a693786f44dba28b60a0da40bab4885827a73bd1586294f33f0a6ad', '\x5aea6472d3f89a8bb6322273d35c86f8a1c3162f2abce16d9884224312f50226', NULL, NULL, '[]', '', NULL, NULL, NULL, 'public', 'user:42', NULL, NULL, '');
INSERT INTO public.handbill_posts VALUES ('kbwkhkbxsf', true, 1, 1795710693408184, 1795710693408184, '\x5b5da2826da9fc643a71c382b2677c474212686f4b725c49afe5d47d679a40d9', 'rnxrpmcqfd', '\x5b5da2826da9fc643a71c382b2677c474212686f4b725c49afe5d47d679a40d9', '\x2b49e8025f96cc71511f696fe7d22db3ec0c7eb254c052c0d60c4e7b0f3ab37c', NULL, NULL, '[]', '', NULL, NULL, NULL, 'draft', 'user:42', NULL, NULL, '');
INSERT INTO public.handbill_posts VALUES ('nxxztmhchz', false, 1, 1795710693410710, 1795710693410710, '\x53d01c3aa38676564567cbd2185783274edf304e7799ec745a8fdcdad323820a', NULL, NULL, NULL, 'Of the host', NULL, '["host"]', 'Of no owner.', NULL, NULL, NULL, 'public', NULL, 1795710693410710, 1795710693410710, 'Of no owner.');


--
-- Data for Name: handbill_secrets; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_secrets VALUES ('installation', '\x57905c2a9762d56964e71cef13a9d4f6c1ed8b5e03604b633e326a2b830d1bb0');


--
-- Data for Name: handbill_waiting_changes; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Name: handbill_change_numbers; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.handbill_change_numbers', 1, false);


--
-- Name: handbill_bars handbill_bars_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handbill_bars
    ADD CONSTRAINT handbill_bars_pkey PRIMARY KEY (owner);


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



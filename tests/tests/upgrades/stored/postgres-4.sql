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
-- Data for Name: handbill_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_keys VALUES ('rbbppqhsjv', '\xbd4efc3048c9c37e03721b14b68a2617a40b2cbaed5320bb81a785a0b12709b1', 'the newsroom', 'user:42', 1795516320211909, 1795514400000000);
INSERT INTO public.handbill_keys VALUES ('jwwlwgkkvf', '\x3beabbb664bffe004e04fac86868bb004facdc606055e775d5732bb454b42689', 'the newsroom', 'key:jwwlwgkkvf', 1795516320224314, 1795514400000000);


--
-- Data for Name: handbill_list_blocks; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: handbill_list_changes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_list_changes VALUES ('tag:rust', 'vqtdxbxltj', 1795516320235265, 1795516320235265, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:été', 'vqtdxbxltj', 1795516320235265, 1795516320235265, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:a tag of two words', 'vqtdxbxltj', 1795516320235265, 1795516320235265, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'vqtdxbxltj', 1795516320235265, 1795516320235265, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:été', 'dtzznjtbvz', 1795516320248350, 1795516320248350, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'dtzznjtbvz', 1795516320248350, 1795516320248350, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:rust', 'dtzznjtbvz/2', 1795516320248350, 1795516320248350, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:hidden', 'mtgxscvghj', 1795516320258931, 1795516320258931, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'mtgxscvghj', 1795516320258931, 1795516320258931, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'mtgxscvghj/1', 1795516320258931, 1795516320258931, -1);
INSERT INTO public.handbill_list_changes VALUES ('tag:hidden', 'mtgxscvghj/1', 1795516320258931, 1795516320258931, -1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'tctbcfjgrp', 1795516320263948, 1795516320263948, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'tctbcfjgrp/1', 1795516320263948, 1795516320263948, -1);
INSERT INTO public.handbill_list_changes VALUES ('tag:host', 'xhgbsfrktd', 1795516320269866, 1795516320269866, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'xhgbsfrktd', 1795516320269866, 1795516320269866, 1);


--
-- Data for Name: handbill_list_entries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_list_entries VALUES ('all', 1795516320235265, 'vqtdxbxltj');
INSERT INTO public.handbill_list_entries VALUES ('tag:rust', 1795516320235265, 'vqtdxbxltj');
INSERT INTO public.handbill_list_entries VALUES ('tag:été', 1795516320235265, 'vqtdxbxltj');
INSERT INTO public.handbill_list_entries VALUES ('tag:a tag of two words', 1795516320235265, 'vqtdxbxltj');
INSERT INTO public.handbill_list_entries VALUES ('all', 1795516320248350, 'dtzznjtbvz');
INSERT INTO public.handbill_list_entries VALUES ('tag:été', 1795516320248350, 'dtzznjtbvz');
INSERT INTO public.handbill_list_entries VALUES ('tag:rust', 1795516320248350, 'dtzznjtbvz');
INSERT INTO public.handbill_list_entries VALUES ('all', 1795516320269866, 'xhgbsfrktd');
INSERT INTO public.handbill_list_entries VALUES ('tag:host', 1795516320269866, 'xhgbsfrktd');


--
-- Data for Name: handbill_list_totals; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: handbill_meta; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_meta VALUES ('count', 0);
INSERT INTO public.handbill_meta VALUES ('schema', 4);


--
-- Data for Name: handbill_posts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_posts VALUES ('vqtdxbxltj', false, 1, 1795516320235265, 1795516320235265, '\xf1c862bbad52f5a1339d23fd15c6650088ff547dfb0385dbe0c746d220a8c5de', 'rbbppqhsjv', '\xf1c862bbad52f5a1339d23fd15c6650088ff547dfb0385dbe0c746d220a8c5de', '\x9423b8fc14c71bc388e353ca76ff558bc62373bf8db9017b0859bb70cf736b1f', 'Grüße, 👋', 'archive', '["rust","été","a tag of two words"]', 'The beginning. and a tab', 'A heading', 'Ada', 'en-GB', 'public', 'user:42', 1795516320235265, 1795516320235265, '# A heading

The *beginning*.

```rust
let a = 1;
```

[^1] and	a tab

[^1]: A note.
');
INSERT INTO public.handbill_posts VALUES ('bdhvlzqjlq', false, 1, 1795516320242344, 1795516320242344, '\xe19a1bccf528257ae144df238889ec10135ea0a238d3b821033ed55d35ba3ce5', 'rbbppqhsjv', '\xe19a1bccf528257ae144df238889ec10135ea0a238d3b821033ed55d35ba3ce5', '\xe7d3d8263f15b8dfdffaf2d200afc7ad4c0d7453ae53949518d147b6b939d97e', NULL, NULL, '["rust"]', 'By address only.', NULL, NULL, NULL, 'unlisted', 'user:42', NULL, NULL, 'By address only.');
INSERT INTO public.handbill_posts VALUES ('bxsqdsdlbr', false, 1, 1795516320245526, 1795516320245526, '\x232b93e8228dc7c3c84cd71b2f937580b723e14c00f8aa8e3397c114575f4ccc', 'rbbppqhsjv', '\x232b93e8228dc7c3c84cd71b2f937580b723e14c00f8aa8e3397c114575f4ccc', '\x025b614958c2b373f85979ab7e23925114fb4c5259b1fb616c68857db1757d71', 'Not yet', NULL, '[]', 'A draft.', NULL, NULL, NULL, 'draft', 'user:42', NULL, NULL, 'A draft.');
INSERT INTO public.handbill_posts VALUES ('dtzznjtbvz', false, 3, 1795516320248350, 1795516320256149, '\xb16cd17eb59ae1c9b704dd957fb64242e0a549087bd4d56e752bce88ef05355e', 'jwwlwgkkvf', '\xb16cd17eb59ae1c9b704dd957fb64242e0a549087bd4d56e752bce88ef05355e', '\x6881764564a7287557446ea9ea82c6be00c06320e3f73c08d5005d9f54cc7dbc', 'Third', NULL, '["rust","été"]', 'Two.', NULL, NULL, NULL, 'public', 'key:jwwlwgkkvf', 1795516320248350, 1795516320248350, 'Two.');
INSERT INTO public.handbill_posts VALUES ('mtgxscvghj', false, 2, 1795516320258931, 1795516320261825, '\xad39770ff765a2927076c6400d83ddedc444cbef40fdd31c65ab6b1e25d38ba7', 'jwwlwgkkvf', '\xad39770ff765a2927076c6400d83ddedc444cbef40fdd31c65ab6b1e25d38ba7', '\xe3367ae00d091c4a00194a0882953a67f4467cfda0efcd3b2769851ae28a29ae', NULL, NULL, '["hidden"]', 'Was public.', NULL, NULL, NULL, 'draft', 'key:jwwlwgkkvf', 1795516320258931, NULL, 'Was public.');
INSERT INTO public.handbill_posts VALUES ('tctbcfjgrp', true, 1, 1795516320263948, 1795516320263948, '\xf9b0dc4a95209fd18f5674c8898d2a0c706e1c92bc6285b68f8e446d6ee481c0', 'rbbppqhsjv', '\xf9b0dc4a95209fd18f5674c8898d2a0c706e1c92bc6285b68f8e446d6ee481c0', '\x5aea6472d3f89a8bb6322273d35c86f8a1c3162f2abce16d9884224312f50226', NULL, NULL, '[]', '', NULL, NULL, NULL, 'public', 'user:42', NULL, NULL, '');
INSERT INTO public.handbill_posts VALUES ('rsdfpjfqhv', true, 1, 1795516320267451, 1795516320267451, '\x706bb2c9f1685e9bca8ad83957b1d014686786edcf833d2244564e8bfc8ce020', 'rbbppqhsjv', '\x706bb2c9f1685e9bca8ad83957b1d014686786edcf833d2244564e8bfc8ce020', '\x2b49e8025f96cc71511f696fe7d22db3ec0c7eb254c052c0d60c4e7b0f3ab37c', NULL, NULL, '[]', '', NULL, NULL, NULL, 'draft', 'user:42', NULL, NULL, '');
INSERT INTO public.handbill_posts VALUES ('xhgbsfrktd', false, 1, 1795516320269866, 1795516320269866, '\x0d1b278f048e6c5ef78fee65ee78b96bc468d3a99363cfc7dd37f5e842b6bdfe', NULL, NULL, NULL, 'Of the host', NULL, '["host"]', 'Nobody''s.', NULL, NULL, NULL, 'public', NULL, 1795516320269866, 1795516320269866, 'Nobody''s.');


--
-- Data for Name: handbill_secrets; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_secrets VALUES ('installation', '\xa093bd16a59b1f285b452450207047940a6f97df6b6946c94db4032896d4d006');


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
-- Name: handbill_keys_by_secret; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX handbill_keys_by_secret ON public.handbill_keys USING btree (secret);


--
-- Name: handbill_list_blocks_by_entries_before; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX handbill_list_blocks_by_entries_before ON public.handbill_list_blocks USING btree (list, entries_before);


--
-- Name: handbill_posts_by_edit_token; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX handbill_posts_by_edit_token ON public.handbill_posts USING btree (edit_token);


--
-- Name: handbill_posts_by_owner; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX handbill_posts_by_owner ON public.handbill_posts USING btree (owner, created_at, id) WHERE ((owner IS NOT NULL) AND (NOT deleted));


--
-- PostgreSQL database dump complete
--



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

INSERT INTO public.handbill_keys VALUES ('shwxghbkns', '\x3444679436998254078dde29255b221b4d30ac55c26ed5654920cf9192f393f3', 'the newsroom', 'user:42', 1795581639424468, 1795579200000000);
INSERT INTO public.handbill_keys VALUES ('xltjwpfsnj', '\x01fac704fa6348d2d4d2e6fd2cf9bd37ec3e3888d6b8e36073f940835a8ae58a', 'the newsroom', 'key:xltjwpfsnj', 1795581639439826, 1795579200000000);


--
-- Data for Name: handbill_list_blocks; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: handbill_list_changes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_list_changes VALUES ('tag:rust', 'crjjmjjngx', 1795581639455313, 1795581639455313, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:été', 'crjjmjjngx', 1795581639455313, 1795581639455313, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:a tag of two words', 'crjjmjjngx', 1795581639455313, 1795581639455313, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'crjjmjjngx', 1795581639455313, 1795581639455313, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:été', 'gnxcxgdfrh', 1795581639491963, 1795581639491963, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'gnxcxgdfrh', 1795581639491963, 1795581639491963, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:rust', 'gnxcxgdfrh/2', 1795581639491963, 1795581639491963, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:hidden', 'srxmgjmkhd', 1795581639501253, 1795581639501253, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'srxmgjmkhd', 1795581639501253, 1795581639501253, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'srxmgjmkhd/1', 1795581639501253, 1795581639501253, -1);
INSERT INTO public.handbill_list_changes VALUES ('tag:hidden', 'srxmgjmkhd/1', 1795581639501253, 1795581639501253, -1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'ctrbljtvrj', 1795581639511631, 1795581639511631, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'ctrbljtvrj/1', 1795581639511631, 1795581639511631, -1);
INSERT INTO public.handbill_list_changes VALUES ('tag:host', 'zqhjzjfqfc', 1795581639515838, 1795581639515838, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'zqhjzjfqfc', 1795581639515838, 1795581639515838, 1);


--
-- Data for Name: handbill_list_entries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_list_entries VALUES ('all', 1795581639455313, 'crjjmjjngx');
INSERT INTO public.handbill_list_entries VALUES ('tag:rust', 1795581639455313, 'crjjmjjngx');
INSERT INTO public.handbill_list_entries VALUES ('tag:été', 1795581639455313, 'crjjmjjngx');
INSERT INTO public.handbill_list_entries VALUES ('tag:a tag of two words', 1795581639455313, 'crjjmjjngx');
INSERT INTO public.handbill_list_entries VALUES ('all', 1795581639491963, 'gnxcxgdfrh');
INSERT INTO public.handbill_list_entries VALUES ('tag:été', 1795581639491963, 'gnxcxgdfrh');
INSERT INTO public.handbill_list_entries VALUES ('tag:rust', 1795581639491963, 'gnxcxgdfrh');
INSERT INTO public.handbill_list_entries VALUES ('all', 1795581639515838, 'zqhjzjfqfc');
INSERT INTO public.handbill_list_entries VALUES ('tag:host', 1795581639515838, 'zqhjzjfqfc');


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
INSERT INTO public.handbill_meta VALUES ('schema', 6);


--
-- Data for Name: handbill_posts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_posts VALUES ('crjjmjjngx', false, 1, 1795581639455313, 1795581639455313, '\x797be9d5e26216bea737f052ed60862e3f4d9166227470a40a7c28f339565b47', 'shwxghbkns', '\x797be9d5e26216bea737f052ed60862e3f4d9166227470a40a7c28f339565b47', '\x2528f536bd3cb235b04ae0d51e0936b9b985ccb56b06cdbd101a79d0482889b7', 'Grüße, 👋', 'focus_keyword 1', '["rust","été","a tag of two words"]', 'The beginning. and a tab', 'A heading', 'author 1', 'en-x-1', 'public', 'user:42', 1795581639455313, 1795581639455313, '# A heading

The *beginning*.

```rust
let a = 1;
```

[^1] and	a tab

[^1]: A note.
');
INSERT INTO public.handbill_posts VALUES ('qpqjlpzwjv', false, 1, 1795581639486297, 1795581639486297, '\x17535172edbdd23935c8ee00b08e03a4d1f33dd1538d9654810843e31eb3e28e', 'shwxghbkns', '\x17535172edbdd23935c8ee00b08e03a4d1f33dd1538d9654810843e31eb3e28e', '\xe7d3d8263f15b8dfdffaf2d200afc7ad4c0d7453ae53949518d147b6b939d97e', NULL, NULL, '["rust"]', 'By address only.', NULL, NULL, NULL, 'unlisted', 'user:42', NULL, NULL, 'By address only.');
INSERT INTO public.handbill_posts VALUES ('qfvfwhpqwv', false, 1, 1795581639490388, 1795581639490388, '\x6760a059189b5483616604d75c7147c05dd7b9d6f0068c438cce16d3ee97f9b3', 'shwxghbkns', '\x6760a059189b5483616604d75c7147c05dd7b9d6f0068c438cce16d3ee97f9b3', '\x025b614958c2b373f85979ab7e23925114fb4c5259b1fb616c68857db1757d71', 'Not yet', NULL, '[]', 'A draft.', NULL, NULL, NULL, 'draft', 'user:42', NULL, NULL, 'A draft.');
INSERT INTO public.handbill_posts VALUES ('gnxcxgdfrh', false, 3, 1795581639491963, 1795581639499834, '\x2088733e234e21ed284b83ae26fcc61d3c9b8899a263259d6565662e54f151f6', 'xltjwpfsnj', '\x2088733e234e21ed284b83ae26fcc61d3c9b8899a263259d6565662e54f151f6', '\x6881764564a7287557446ea9ea82c6be00c06320e3f73c08d5005d9f54cc7dbc', 'Third', NULL, '["rust","été"]', 'Two.', NULL, NULL, NULL, 'public', 'key:xltjwpfsnj', 1795581639491963, 1795581639491963, 'Two.');
INSERT INTO public.handbill_posts VALUES ('srxmgjmkhd', false, 2, 1795581639501253, 1795581639510277, '\xda1af2b20e2ba346b359a3f3a026eb6a4ed0a9a778885d33fec51debd06cb9f9', 'xltjwpfsnj', '\xda1af2b20e2ba346b359a3f3a026eb6a4ed0a9a778885d33fec51debd06cb9f9', '\xe3367ae00d091c4a00194a0882953a67f4467cfda0efcd3b2769851ae28a29ae', NULL, NULL, '["hidden"]', 'Was public.', NULL, NULL, NULL, 'draft', 'key:xltjwpfsnj', 1795581639501253, NULL, 'Was public.');
INSERT INTO public.handbill_posts VALUES ('ctrbljtvrj', true, 1, 1795581639511631, 1795581639511631, '\xacb84dea68acc3bbf2c065f24e89195a1bfcd730feea91973d55dc380f862637', 'shwxghbkns', '\xacb84dea68acc3bbf2c065f24e89195a1bfcd730feea91973d55dc380f862637', '\x5aea6472d3f89a8bb6322273d35c86f8a1c3162f2abce16d9884224312f50226', NULL, NULL, '[]', '', NULL, NULL, NULL, 'public', 'user:42', NULL, NULL, '');
INSERT INTO public.handbill_posts VALUES ('nzrnlrqmgz', true, 1, 1795581639514119, 1795581639514119, '\x4a002a7d72c0764d4e4907e2afeda152c2590069e1ab857a1a6bb80a521990e1', 'shwxghbkns', '\x4a002a7d72c0764d4e4907e2afeda152c2590069e1ab857a1a6bb80a521990e1', '\x2b49e8025f96cc71511f696fe7d22db3ec0c7eb254c052c0d60c4e7b0f3ab37c', NULL, NULL, '[]', '', NULL, NULL, NULL, 'draft', 'user:42', NULL, NULL, '');
INSERT INTO public.handbill_posts VALUES ('zqhjzjfqfc', false, 1, 1795581639515838, 1795581639515838, '\x96def28b996ec1ffc91c3f33b8afdd963e7b23b0fe5c5a9042911ded66da411c', NULL, NULL, NULL, 'Of the host', NULL, '["host"]', 'Of no owner.', NULL, NULL, NULL, 'public', NULL, 1795581639515838, 1795581639515838, 'Of no owner.');


--
-- Data for Name: handbill_secrets; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_secrets VALUES ('installation', '\x04a23b9d106a4ef13eaf7dac71d4f5c61343420284bae402c06d6f8df7503cc2');


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



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
    body text NOT NULL,
    publish_at bigint,
    expires_at bigint,
    due_at bigint
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

INSERT INTO public.handbill_keys VALUES ('wrmjxhdcwz', '\xc500935b032364d64790b94cf2ce25ff607c188ed28ba0fb298be0e6a0514f6e', 'the newsroom', 'user:42', 1795713716310963, 1795712400000000);
INSERT INTO public.handbill_keys VALUES ('pfvclbxhxg', '\x81907b6ff8ffbce65ea551b35955a6347551f8a6fb4d6bb8f466e72c7af7c30d', 'the newsroom', 'key:pfvclbxhxg', 1795713716342856, 1795712400000000);


--
-- Data for Name: handbill_list_blocks; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: handbill_list_changes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_list_changes VALUES ('tag:rust', 'fzzpvldghk', 1795713716359205, 1795713716359205, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:été', 'fzzpvldghk', 1795713716359205, 1795713716359205, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:a tag of two words', 'fzzpvldghk', 1795713716359205, 1795713716359205, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'fzzpvldghk', 1795713716359205, 1795713716359205, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:été', 'cbmstcxlww', 1795713716392533, 1795713716392533, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'cbmstcxlww', 1795713716392533, 1795713716392533, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:rust', 'cbmstcxlww/2', 1795713716392533, 1795713716392533, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:hidden', 'cbsqzzgkxq', 1795713716415214, 1795713716415214, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'cbsqzzgkxq', 1795713716415214, 1795713716415214, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'cbsqzzgkxq/1', 1795713716415214, 1795713716415214, -1);
INSERT INTO public.handbill_list_changes VALUES ('tag:hidden', 'cbsqzzgkxq/1', 1795713716415214, 1795713716415214, -1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'ddxrddnlrs', 1795713716427410, 1795713716427410, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'ddxrddnlrs/1', 1795713716427410, 1795713716427410, -1);
INSERT INTO public.handbill_list_changes VALUES ('tag:host', 'rhgrdckgmt', 1795713716448667, 1795713716448667, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'rhgrdckgmt', 1795713716448667, 1795713716448667, 1);


--
-- Data for Name: handbill_list_entries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_list_entries VALUES ('all', 1795713716359205, 'fzzpvldghk');
INSERT INTO public.handbill_list_entries VALUES ('tag:rust', 1795713716359205, 'fzzpvldghk');
INSERT INTO public.handbill_list_entries VALUES ('tag:été', 1795713716359205, 'fzzpvldghk');
INSERT INTO public.handbill_list_entries VALUES ('tag:a tag of two words', 1795713716359205, 'fzzpvldghk');
INSERT INTO public.handbill_list_entries VALUES ('all', 1795713716392533, 'cbmstcxlww');
INSERT INTO public.handbill_list_entries VALUES ('tag:été', 1795713716392533, 'cbmstcxlww');
INSERT INTO public.handbill_list_entries VALUES ('tag:rust', 1795713716392533, 'cbmstcxlww');
INSERT INTO public.handbill_list_entries VALUES ('all', 1795713716448667, 'rhgrdckgmt');
INSERT INTO public.handbill_list_entries VALUES ('tag:host', 1795713716448667, 'rhgrdckgmt');


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

INSERT INTO public.handbill_posts VALUES ('fzzpvldghk', false, 1, 1795713716359205, 1795713716359205, '\x7f1581a7dc5d501a38995ce5ac12318ab1ca2fdf2e7defc343c41a1d4a4a70e4', 'wrmjxhdcwz', '\x7f1581a7dc5d501a38995ce5ac12318ab1ca2fdf2e7defc343c41a1d4a4a70e4', '\x2528f536bd3cb235b04ae0d51e0936b9b985ccb56b06cdbd101a79d0482889b7', 'Grüße, 👋', 'focus_keyword 1', '["rust","été","a tag of two words"]', 'The beginning. and a tab', 'A heading', 'author 1', 'en-x-1', 'public', 'user:42', 1795713716359205, 1795713716359205, '# A heading

The *beginning*.

```rust
let a = 1;
```

[^1] and	a tab

[^1]: A note.
', NULL, NULL, NULL);
INSERT INTO public.handbill_posts VALUES ('nmxtgdxfrm', false, 1, 1795713716379172, 1795713716379172, '\x0a5a89c4636564ba0cd0cf3063921d6b385cce4589fc29d1bbc0992d0bb0ddab', 'wrmjxhdcwz', '\x0a5a89c4636564ba0cd0cf3063921d6b385cce4589fc29d1bbc0992d0bb0ddab', '\xe7d3d8263f15b8dfdffaf2d200afc7ad4c0d7453ae53949518d147b6b939d97e', NULL, NULL, '["rust"]', 'By address only.', NULL, NULL, NULL, 'unlisted', 'user:42', NULL, NULL, 'By address only.', NULL, NULL, NULL);
INSERT INTO public.handbill_posts VALUES ('fvwdjrfjnv', false, 1, 1795713716383323, 1795713716383323, '\x5e1545591b8af668cc9de8352559bb83a6f105ac511f2d7f77769ddbf446e6cd', 'wrmjxhdcwz', '\x5e1545591b8af668cc9de8352559bb83a6f105ac511f2d7f77769ddbf446e6cd', '\x025b614958c2b373f85979ab7e23925114fb4c5259b1fb616c68857db1757d71', 'Not yet', NULL, '[]', 'A draft.', NULL, NULL, NULL, 'draft', 'user:42', NULL, NULL, 'A draft.', NULL, NULL, NULL);
INSERT INTO public.handbill_posts VALUES ('cbmstcxlww', false, 3, 1795713716392533, 1795713716407430, '\xedf55d21bd6b0298971a8012989a38cb20dbf1ba0b8154cf8aa0d90070c49ab3', 'pfvclbxhxg', '\xedf55d21bd6b0298971a8012989a38cb20dbf1ba0b8154cf8aa0d90070c49ab3', '\x6881764564a7287557446ea9ea82c6be00c06320e3f73c08d5005d9f54cc7dbc', 'Third', NULL, '["rust","été"]', 'Two.', NULL, NULL, NULL, 'public', 'key:pfvclbxhxg', 1795713716392533, 1795713716392533, 'Two.', NULL, NULL, NULL);
INSERT INTO public.handbill_posts VALUES ('cbsqzzgkxq', false, 2, 1795713716415214, 1795713716421754, '\x4cfc0a9e0da55301f63d7a9cf84ba4c91b1bffdbf562b9133c8ecb2527379227', 'pfvclbxhxg', '\x4cfc0a9e0da55301f63d7a9cf84ba4c91b1bffdbf562b9133c8ecb2527379227', '\xe3367ae00d091c4a00194a0882953a67f4467cfda0efcd3b2769851ae28a29ae', NULL, NULL, '["hidden"]', 'Was public.', NULL, NULL, NULL, 'draft', 'key:pfvclbxhxg', 1795713716415214, NULL, 'Was public.', NULL, NULL, NULL);
INSERT INTO public.handbill_posts VALUES ('ddxrddnlrs', true, 1, 1795713716427410, 1795713716427410, '\x4eaf6a2a3a0a46a9e34812cf2a2d7d1f0fc54a1bd056e285b387d3f1fe29a4ac', 'wrmjxhdcwz', '\x4eaf6a2a3a0a46a9e34812cf2a2d7d1f0fc54a1bd056e285b387d3f1fe29a4ac', '\x5aea6472d3f89a8bb6322273d35c86f8a1c3162f2abce16d9884224312f50226', NULL, NULL, '[]', '', NULL, NULL, NULL, 'public', 'user:42', NULL, NULL, '', NULL, NULL, NULL);
INSERT INTO public.handbill_posts VALUES ('hdqszdgshr', true, 1, 1795713716438401, 1795713716438401, '\xfff17176a6ea3dee03ea8ebf8533172041bbf091060d32667f04a0ae12d06817', 'wrmjxhdcwz', '\xfff17176a6ea3dee03ea8ebf8533172041bbf091060d32667f04a0ae12d06817', '\x2b49e8025f96cc71511f696fe7d22db3ec0c7eb254c052c0d60c4e7b0f3ab37c', NULL, NULL, '[]', '', NULL, NULL, NULL, 'draft', 'user:42', NULL, NULL, '', NULL, NULL, NULL);
INSERT INTO public.handbill_posts VALUES ('rhgrdckgmt', false, 1, 1795713716448667, 1795713716448667, '\xd2f2cf6c124d4547698495efb6480f07b23b9f3389d5f4747f0c23e150706ae8', NULL, NULL, NULL, 'Of the host', NULL, '["host"]', 'Of no owner.', NULL, NULL, NULL, 'public', NULL, 1795713716448667, 1795713716448667, 'Of no owner.', NULL, NULL, NULL);


--
-- Data for Name: handbill_secrets; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_secrets VALUES ('installation', '\x2f7f1d6b655627b796ac8a2036f137d6a2f0671a9028a94fa470effedd727076');


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
-- Name: handbill_posts_by_due_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX handbill_posts_by_due_at ON public.handbill_posts USING btree (due_at, id) WHERE (due_at IS NOT NULL);


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



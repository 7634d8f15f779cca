// The official client for JavaScript: publishes, finds, edits with a conflict, and deletes. Prints what it gets.
// Arguments: the address of the service, an API key, and the mode of the client ("auto" or "legacy").
import assert from "node:assert";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const [address, key, mode] = process.argv.slice(2);
const client = new Client({ name: "handbill-ci", version: "1" }, { versionNegotiation: { mode } });
const headers = { Authorization: `Bearer ${key}` };
await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { requestInit: { headers } }));
console.log("javascript speaks", client.getNegotiatedProtocolVersion());

async function call(name, args, expected) {
  const result = await client.callTool({ name, arguments: args });
  const value = result.structuredContent ?? {};
  assert.equal(result.isError === true, expected !== undefined, JSON.stringify(result));
  assert.equal(value.code, expected);
  const shown = ["id", "title", "total", "code"].filter((member) => member in value);
  console.log(`  ${name}:`, shown.length ? JSON.stringify(value, shown) : result.content[0].text);
  return value;
}

const { tools } = await client.listTools();
console.log("  tools:", tools.map((tool) => tool.name).join(", "));
const created = await call("publish_post", { title: "From JavaScript", body: "Some *words*.", tags: ["agents"] });
const found = await call("find_posts", { tag: "agents" });
assert.deepEqual(found.posts.map((post) => post.id), [created.id]);
const { id, etag } = await call("read_post", { id: created.id });
const edited = await call("update_post", { id, etag, title: "Edited" });
await call("update_post", { id, etag, title: "Edited" }, "precondition_failed");
await call("update_post", { id, etag: edited.etag, title: "Edited again" });
await call("delete_post", { id });
await call("read_post", { id }, "gone");
await client.close();

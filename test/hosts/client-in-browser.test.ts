import { build } from "esbuild";
import { expect, test } from "vitest";
import { createClient } from "../../hosts/library/client.ts";
import { declaredWire } from "../../hosts/library/declared-wire.ts";
import { httpTransport } from "../../hosts/library/http-transport.ts";
import { stubService } from "../support/stub-service.ts";

test("the client and its transport bundle for a browser, without a schema, an endpoint or a module of Node", async () => {
  const { metafile } = await build({
    stdin: {
      contents: `export { createClient } from "./client.ts"; export { httpTransport } from "./http-transport.ts";`,
      resolveDir: "hosts/library",
    },
    bundle: true,
    write: false,
    platform: "browser",
    format: "esm",
    metafile: true,
  });
  const inputs = Object.keys(metafile.inputs).filter((path) => path !== "<stdin>");
  expect(inputs.filter((path) => !path.startsWith("hosts/library/"))).toEqual([]);
});

test("the wire is plain data: a client over it makes the same calls as one over the declarations", async () => {
  const table = JSON.parse(JSON.stringify(declaredWire));
  expect(table).toEqual(declaredWire);
  const stub = await stubService(() => ({ json: [] }));
  const client = createClient(httpTransport({ baseUrl: stub.url, token: null }), table);
  await client.issues.list({ companyId: "c1", status: ["todo", "done"], limit: 5 });
  expect(stub.requests[0]).toMatchObject({ method: "GET" });
  expect(decodeURIComponent(stub.requests[0]!.url)).toBe("/api/companies/c1/issues?status=todo,done&limit=5");
  await stub.close();
});

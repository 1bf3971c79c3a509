// A Boardroom next to the routes of a Fastify 5 program.
//
//   npm install fastify && node examples/fastify.mjs [data directory]
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBoardroom } from "boardroom";
import { fastify } from "fastify";

const dataDir = process.argv[2] ?? (await mkdtemp(join(tmpdir(), "boardroom-fastify-")));
const port = Number(process.env.PORT ?? 8080);
const boardroom = await createBoardroom({ dataDir, url: `http://127.0.0.1:${port}` });

const app = fastify();
app.register(async (scope) => {
  // Boardroom reads bodies by itself: Fastify must not parse those of its paths.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", (_request, _payload, done) => done(null));
  scope.all("/api/*", (request, reply) => {
    reply.hijack();
    boardroom.handler(request.raw, reply.raw);
  });
});
app.get("/", () => "This is our own page.\n");
await app.listen({ port, host: "127.0.0.1" });
console.log(`listening on http://127.0.0.1:${port}`);

process.once("SIGTERM", async () => {
  await boardroom.close();
  await app.close();
});

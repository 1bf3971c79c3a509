// A Boardroom next to the routes of an Express 5 program.
//
//   npm install express && node examples/express.mjs [data directory]
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBoardroom } from "boardroom";
import express from "express";

const dataDir = process.argv[2] ?? (await mkdtemp(join(tmpdir(), "boardroom-express-")));
const port = Number(process.env.PORT ?? 8080);
const boardroom = await createBoardroom({ dataDir, url: `http://127.0.0.1:${port}` });

const app = express();
// Before body parsers: Boardroom reads bodies by itself, and webhooks are signed over their bytes.
app.use("/api", boardroom.handler);
app.use(express.json());
app.get("/", (_request, response) => response.send("This is our own page.\n"));
const server = app.listen(port, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${port}`));

process.once("SIGTERM", async () => {
  await boardroom.close();
  server.close();
  server.closeAllConnections();
});

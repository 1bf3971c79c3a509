import { startS3 } from "../support/s3-server.ts";

// In place of Versity's S3 gateway, with its port and variables, in an image of its name.
const { objects } = await startS3("boardroom", { host: "0.0.0.0", port: 7070 });
if (!process.env.ROOT_ACCESS_KEY_ID || !process.env.ROOT_SECRET_ACCESS_KEY || process.argv[2] !== "posix")
  throw new Error("The gateway has no credentials or no folder.");
process.on("SIGTERM", () => process.exit());
let printed = 0;
setInterval(() => {
  for (const key of [...objects.keys()].slice(printed)) console.log(`stored ${key}`);
  printed = objects.size;
}, 200);

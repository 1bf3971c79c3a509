import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { HttpAnswer, HttpRequest } from "./listener.ts";

/** Serves the board page; null for every other path. */
export type Pages = (request: HttpRequest) => HttpAnswer | null;

/**
 * Allows no inline code, no other origin and no markup from strings. Agents' files come from the API, on the same origin.
 * `frame-src 'self'` allows the sandboxed frame of UI parsers alone: every other answer of the service refuses to be framed.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // The one of the service worker's address (hosts/web/live/service-worker.ts).
  "trusted-types boardroom-worker",
].join("; ");

const always = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "content-security-policy": policy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
} as const;

const sandboxPath = "/sandbox/parser.html";

/**
 * The frame in which UI parsers run, as an origin of its own even where it is opened by itself. Its one script may start
 * workers, which have this policy too: nothing is loaded from anywhere, nothing is sent anywhere, no text becomes code.
 */
const sandboxPolicy = (script: string): string =>
  [
    "default-src 'none'",
    `script-src 'sha256-${createHash("sha256").update(script).digest("base64")}'`,
    "worker-src blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    "sandbox allow-scripts",
  ].join("; ");

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webmanifest": "application/manifest+json",
};

interface Asset {
  readonly plain: Uint8Array;
  readonly br: Uint8Array | null;
  readonly gzip: Uint8Array | null;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Reads the built page into memory. `publicUrl` is the address for people; its path becomes the page's base. */
export const openPages = async (publicUrl: string | null, folder = builtPages()): Promise<Pages> => {
  const assets = await readAssets(folder);
  assets.set(sandboxPath, await readSandbox(folder));
  const behindProxy = publicUrl === null ? null : new URL(publicUrl);
  const pathOf = (base: URL): string => `${base.pathname.replace(/(?<!\/)\/+$/, "")}/`;
  const documentAt = (document: string, base: string): Asset => {
    const plain = Buffer.from(document.replace("{{base}}", escaped(base)));
    const headers = {
      ...always,
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      vary: "accept",
    };
    return { plain, br: null, gzip: null, etag: etagOf(plain), headers };
  };
  const readDocument = async (name: string) => {
    const document = await readFile(join(folder, name), "utf8");
    const atRoot = documentAt(document, "/");
    const atPublicUrl = behindProxy === null ? atRoot : documentAt(document, pathOf(behindProxy));
    // Behind a proxy the page has the proxy's path; at the service's own address it is at the root.
    return ({ headers }: HttpRequest): Asset =>
      behindProxy !== null && headers.host?.toLowerCase() === behindProxy.host ? atPublicUrl : atRoot;
  };
  const board = await readDocument("index.html");
  const offline = await readDocument("offline.html");
  return (request) => {
    if (request.method !== "GET" && request.method !== "HEAD") return null;
    if (request.path === "/offline.html") return answer(request, offline(request));
    const asset = assets.get(request.path);
    if (asset !== undefined) return answer(request, asset);
    if (/^\/(api|assets|metrics)(\/|$)/.test(request.path)) return null;
    // Balancers check the root, and accept whatever comes; a program at any other path learns that nothing is there.
    if (request.path !== "/" && !(request.headers.accept ?? "").includes("text/html")) return null;
    return answer(request, board(request));
  };
};

/** The folder next to the bundle, or the checkout's `dist` if the service runs from its sources. */
const builtPages = (): string => {
  const bundled = fileURLToPath(new URL("./web/", import.meta.url));
  return existsSync(bundled) ? bundled : fileURLToPath(new URL("../../dist/web/", import.meta.url));
};

const readAssets = async (folder: string): Promise<Map<string, Asset>> => {
  const atRoot = (await readdir(folder)).filter((name) => /\.(svg|png|webmanifest)$/.test(name));
  const names = [
    ...atRoot,
    "service-worker.js",
    ...(await readdir(join(folder, "assets"))).map((name) => `assets/${name}`),
  ];
  const assets = new Map<string, Asset>();
  for (const name of names) {
    const type = types[extname(name)];
    if (type === undefined) continue;
    const at = (extension: string) =>
      names.includes(`${name}${extension}`) ? readFileSync(join(folder, name + extension)) : null;
    const plain = at("")!;
    assets.set(`/${name}`, {
      plain,
      br: at(".br"),
      gzip: at(".gz"),
      etag: etagOf(plain),
      headers: {
        ...always,
        "content-type": type,
        // A name with a content hash never changes its content.
        "cache-control": name.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache",
        vary: "accept-encoding",
      },
    });
  }
  return assets;
};

const readSandbox = async (folder: string): Promise<Asset> => {
  const script = await readFile(join(folder, "parser-frame.js"), "utf8");
  const plain = Buffer.from(
    `<!doctype html><meta charset="utf-8"><title>UI parser</title><script>${script}</script>`,
  );
  const headers = {
    ...always,
    "content-security-policy": sandboxPolicy(script),
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-cache",
  };
  return { plain, br: null, gzip: null, etag: etagOf(plain), headers };
};

const etagOf = (bytes: Uint8Array): string =>
  `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

const answer = (request: HttpRequest, { plain, br, gzip, etag, headers }: Asset): HttpAnswer => {
  const known = request.headers["if-none-match"]
    ?.split(",")
    .some((each) => each.trim().replace(/^W\//, "") === etag);
  if (known) return { status: 304, headers: { ...headers, etag }, body: null };
  const accepted = request.headers["accept-encoding"] ?? "";
  const takes = (name: string) =>
    new RegExp(`(^|[ ,])${name}(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))`).test(accepted);
  const [encoding, body] =
    br !== null && takes("br") ? ["br", br] : gzip !== null && takes("gzip") ? ["gzip", gzip] : [null, plain];
  return {
    status: 200,
    headers: { ...headers, etag, ...(encoding === null ? {} : { "content-encoding": encoding }) },
    body,
  };
};

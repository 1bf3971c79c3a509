import { expect, it } from "vitest";
import { deviceOf } from "../../core/model/access/client.ts";

const mac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)";
const chromium = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36";

it.each([
  [`Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0`, "Firefox on Linux"],
  [`${mac} ${chromium}`, "Chrome on macOS"],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chromium} Edg/131.0.0.0`, "Edge on Windows"],
  [`${mac} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15`, "Safari on macOS"],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Version/18.1 Mobile/15E148 Safari/604.1",
    "Safari on iPhone",
  ],
  [`Mozilla/5.0 (Linux; Android 15; Pixel 9) ${chromium}`, "Chrome on Android"],
  ["curl/8.5.0", "curl"],
  ["node", "Node.js"],
  ["<script>alert(1)</script>", null],
  [null, null],
])("%s is called %s", (userAgent, device) => {
  expect(deviceOf({ address: null, userAgent })).toBe(device);
});

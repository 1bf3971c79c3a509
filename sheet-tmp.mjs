import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";
const [out, cols, width, ...files] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium" });
const page = await browser.newPage({ viewport: { width: cols * width, height: 100 } });
await page.setContent(`<body style="margin:0;display:grid;grid-template-columns:repeat(${cols},${width}px);background:#888;gap:2px">${files.map((f) => `<img style="width:100%;display:block" src="data:image/png;base64,${readFileSync(f).toString("base64")}">`).join("")}`);
await page.waitForTimeout(500);
await page.screenshot({ path: out, fullPage: true });
await browser.close();

import { devices, type Locator } from "playwright-core";

/** The window, the touch and the browser's name of a phone. */
export const phone = devices["Pixel 7"]!;

/** Counts what a person taps, from the inbox as it opens. */
export class Taps {
  count = 0;

  async on(target: Locator): Promise<void> {
    this.count += 1;
    await target.tap();
  }
}

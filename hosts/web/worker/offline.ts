import { applyTheme, readTheme } from "../widgets/theme.ts";

/** The script of the page that the worker shows where the service isn't reached. */
const retryMs = 5_000;

applyTheme(readTheme());

const set = (id: string, text: string): void => {
  const element = document.getElementById(id);
  if (element !== null) element.textContent = text;
};

const describe = (): void => {
  set("title", navigator.onLine ? "The service isn't responding" : "You're offline");
};

/** Loads the page again once the service answers. The worker doesn't answer for that file. */
const retry = async (): Promise<void> => {
  const answer = await fetch("manifest.webmanifest", { cache: "no-store" }).catch(() => null);
  if (answer?.ok) location.reload();
};

describe();
addEventListener("online", () => {
  describe();
  void retry();
});
addEventListener("offline", describe);
document.getElementById("retry")?.addEventListener("click", () => location.reload());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") void retry();
});
setInterval(() => void retry(), retryMs);

import { useKeys } from "./keys.tsx";

/** `j` and `k` move the focus along the rows of a screen: `links` selects the link of each, `word` is what a row is. */
export const useRowKeys = (links: string, noun: string): void => {
  const move = (by: number) => {
    const all = [...document.querySelectorAll<HTMLElement>(`main :is(${links})`)];
    const at = all.indexOf(document.activeElement as HTMLElement);
    all[at < 0 ? 0 : Math.max(0, Math.min(all.length - 1, at + by))]?.focus();
  };
  useKeys([
    { keys: "j", does: `Next ${noun}`, run: () => move(1) },
    { keys: "k", does: `Previous ${noun}`, run: () => move(-1) },
  ]);
};

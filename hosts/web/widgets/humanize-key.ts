/** `costPerMonth`, `cost_per_month`: "Cost per month", for keys without a label of their own. */
export const humanizeKey = (key: string): string => {
  const text = key
    .replace(/([a-z0-9])([A-Z])/g, (_, before: string, letter: string) => `${before} ${letter.toLowerCase()}`)
    .replaceAll("_", " ")
    .trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
};

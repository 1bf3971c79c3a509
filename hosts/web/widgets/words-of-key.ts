/** `costPerMonth`, `cost_per_month`: "Cost per month", for keys that nobody has given words. */
export const wordsOfKey = (key: string): string => {
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, (_, before: string, letter: string) => `${before} ${letter.toLowerCase()}`)
    .replaceAll("_", " ")
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

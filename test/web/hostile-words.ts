const words = [
  // 54 letters.
  "Donaudampfschifffahrtselektrizitaetenhauptbetriebswerk",
  // 169 letters without a place to break.
  "Lopado".repeat(29).slice(0, 169),
  // From right to left.
  "مشروع إصلاح الرافعة الرابعة في الميناء القديم قبل بداية فصل الربيع",
  // Without spaces, of full width.
  "在春季检查之前更换四号起重机的吊钩并测量其磨损情况然后订购新的吊钩",
  // Ordinary, and long.
  "Replace the hook of crane 4, measure what is left of the old one, and order the forging from the dealer before the survey of the spring",
];

/** Names may be this long. */
const longestName = 100;

/** Replaces what people write by what breaks layouts, with a number that tells one from another. */
export const hostileTexts = (): ((text: string) => string) => {
  let count = 0;
  return (text) => {
    count += 1;
    const hostile = `${count} ${words[count % words.length]}`;
    return text.length < 20 ? hostile.slice(0, longestName) : hostile;
  };
};

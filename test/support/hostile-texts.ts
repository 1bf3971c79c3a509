/** Repeated, these cost programs that read text the most: beginnings whose end never comes, and parts of many readings. */
export const hostileUnits = [
  "<!--", "<", "<a ", "<a href='", "<a>", "</", "&", "&#a", "a_", "_a", "~/", "./", "/.", "../", "@1A", "a@b.", "a@A1!#",
  "-1.a", "a-1.", "1e-1.", "a.b.c-", "a-b_c@d.e/f~", "*=a>@A", "(:@\\", "%a/", "%", "http://a", "a://", "www.a.", "日本_",
  "\u0301\u0316", "a\u0301", "\ud800", "𠮷-", "İ", "ß", "`", "``` ", "~~~\n", "[", "](", "[a](agent://", "![", "*", "_ ", "> ",
  "- ", "1. ", "|", "\n", "\r", "\\", "{{", "{{ payload.", "{{payload.a.a", "@", "@a ", "\"", "'", " ", "\t", "word ",
  "**a", "_a_", "~~a", "* *\n", "- a\n\n", " - a\n  ", "1) a\n   ", "> > ", "a|b\n-|-\n", "[a][", "[a]\n", "\n\n", "    ", "===\n",
  "😀", "😀-", "𠀀", "𠀀-", "𒀀𒀁-", "<g>", "<g ", "a='b' ", "]]>", "<![CDATA[", "[1,", "{\"a\":", "0,", "1-2,", "*/", "a=b\n", "[a.b]\n",
] as const; // biome-ignore format: one line for each kind is easier to read

/** Repeats one of them up to a length. */
export const repeated = (unit: string, length: number): string =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

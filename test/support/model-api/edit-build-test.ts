/** The work of a model in a workspace: it writes sources, edits them, builds, and tests the build. */
export const editBuildAndTest: readonly string[] = [
  `mkdir -p src && printf 'exports.sum = (one, other) => one - other;\\n' > src/sum.js && git init -q .`,
  // Not by `sed -i`: qwen refuses it for files that its model has not read.
  `sed 's/one - other/one + other/' src/sum.js > src/next.js && mv src/next.js src/sum.js`,
  `mkdir -p build && cp src/sum.js build/sum.js && node --check build/sum.js`,
  `node -e 'const { sum } = require("./build/sum.js"); if (sum(1, 2) !== 3 || sum(0, 0) !== 0) process.exit(1); console.log("2 tests passed")' > report`,
  "git add -A && git -c user.name=Ada -c user.email=ada@example.com commit -qm 'Add a sum' && cat report",
];

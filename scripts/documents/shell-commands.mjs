/** Commands of a page for a shell, one for each program that is started: `line` as the page shows it, `words` without variables. */
export function commandsIn(markdown) {
  return blocksIn(markdown).flatMap((block) => {
    const variables = {}
    return block.flatMap((line) =>
      simpleCommands(line, variables).map((words) => ({ line: line.trim(), words })),
    )
  })
}

/** Fenced blocks for a shell, and indented lines that start with one of our programs; each a list of lines, with continued lines joined. */
function blocksIn(markdown) {
  const fenced = [...markdown.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, body]) => logicalLines(body))
  const outside = markdown.replaceAll(/^```[\s\S]*?^```/gm, '')
  const indented = [...outside.matchAll(/^ {4}((?:npx? |node |curl |medloom )\S.*)$/gm)].map(([, line]) => [
    line,
  ])
  return [...fenced, ...indented]
}

/** Commands that sentences of a page mention as code, such as `npm run demo`. */
export function mentionedCommands(markdown) {
  const prose = markdown.replaceAll(/^```[\s\S]*?^```/gm, '')
  const spans = prose.matchAll(/`((?:npx |medloom |node |npm (?:run |test|start))[^`\n]*)`/g)
  return [...spans].map(([, command]) => command)
}

/** Fences of a page that name no language, by their first line. */
export function unnamedFences(markdown) {
  const fences = [...markdown.matchAll(/^```(\w*)\n(.*)\n[\s\S]*?^```/gm)]
  return fences.filter(([, language]) => language === '').map(([, , first]) => first)
}

function logicalLines(body) {
  const lines = []
  for (const line of body.trimEnd().split('\n')) {
    const isOpen =
      lines.length > 0 && (lines.at(-1).split("'").length % 2 === 0 || lines.at(-1).endsWith('\\'))
    if (isOpen && lines.at(-1).endsWith('\\')) lines.push(lines.pop().slice(0, -1) + line.trimStart())
    else if (isOpen) lines.push(`${lines.pop()}\n${line}`)
    else lines.push(line)
  }
  return lines
}

/** Splits a line at |, ||, &&, ; and $(…), outside of quotes. Two spaces end a command: a remark follows. */
function simpleCommands(line, variables) {
  const assigned = /^(\w+)=([^$"' ]+)$/.exec(line)
  if (assigned) {
    variables[assigned[1]] = assigned[2]
    return []
  }
  const quoted = []
  const plain = line
    .replaceAll(/'[^']*'|"[^"]*"/g, (text) => `\uE000${quoted.push(text.slice(1, -1)) - 1} `.trimEnd())
    .replace(/ {2,}\S.*$/, '')
    .replace(/(^| )#.*$/, '')
  return plain
    .replace(/^(?:export )?\w+=(?!\$\()\S*$/, '')
    .replace(/^\w+=\$\(/, '')
    .split(/\|\|?|&&|;|\$\(|\)/)
    .map((command) =>
      command
        .trim()
        .split(/\s+/)
        .filter((word) => word !== ''),
    )
    .filter((words) => words.length > 0)
    .map((words) => words.map((word) => filledIn(word, quoted, variables)))
}

const filledIn = (word, quoted, variables) =>
  word
    .replaceAll(/\uE000(\d+)/g, (_, index) => quoted[Number(index)])
    .replaceAll(/\$(\w+)/g, (variable, name) => variables[name] ?? variable)

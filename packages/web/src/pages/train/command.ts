/** The same training as a command for a shell. The file goes through standard input, quoted so that the shell changes nothing. */
export function trainCommand(yaml: string, name: string): string {
  const named = name.trim() === '' ? '' : ` --name ${quoted(name.trim())}`
  const end = endOf(yaml)
  return `medloom train --config -${named} --keep-paths <<'${end}'\n${yaml.trimEnd()}\n${end}\n`
}

function quoted(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** A line that the text does not have. */
function endOf(text: string): string {
  const lines = new Set(text.split('\n'))
  let end = 'END'
  while (lines.has(end)) end += '_'
  return end
}

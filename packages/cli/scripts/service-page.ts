import { SERVICE_FLAGS, type ServiceFlag } from '../../server/src/service-flags.js'

/** The flags of `medloom serve`, from their declaration. */
export function servicePage(): string {
  const rows = Object.entries<ServiceFlag>(SERVICE_FLAGS).map(
    ([name, flag]) =>
      `| \`--${name} <${flag.value}>\` | \`${flag.env}\` | ${defaultOf(flag)} | ${flag.meaning} |`,
  )
  return `<!-- Generated from packages/server/src/settings.ts by "npm run generate"; do not edit. -->

# Flags of the service

\`medloom serve\` takes these flags, and so does \`npm start -- --port 8123\`. Every flag has an environment variable of the same meaning.
A flag wins over its environment variable, which wins over the default. The service prints one line with its address when it is ready.

| flag | environment variable | default | meaning |
|---|---|---|---|
${rows.join('\n')}
`
}

function defaultOf(flag: ServiceFlag): string {
  if (flag.default === null) return flag.otherwise ?? ''
  return flag.otherwise ? `\`${flag.default}\` (${flag.otherwise})` : `\`${flag.default}\``
}

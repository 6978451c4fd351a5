import { cliPage } from './cli-page.js'
import { servicePage } from './service-page.js'

/** Repository path → text of the reference pages that are generated from the command line and the service's settings. */
export function cliPages(): Record<string, string> {
  return {
    'docs/reference/cli.md': cliPage(),
    'docs/reference/service.md': servicePage(),
  }
}

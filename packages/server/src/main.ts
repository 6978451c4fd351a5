import { runService } from './process.js'

await runService(process.argv.slice(2), process.env)

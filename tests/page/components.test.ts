import { expectAccessible, expectNarrow } from './testing/looks.js'
import { test } from './testing/test.js'

for (const locale of ['en-US', 'zh-CN'])
  test(`every component in every state is accessible and narrow in ${locale}`, async ({ open }) => {
    const page = await open('/dev/components', { locale })
    await page.getByText('INVALID_CONFIG').waitFor()
    // Translated text has the same colors.
    await expectAccessible(page, { dark: locale === 'en-US' })
    await expectNarrow(page)
  })

import '../app/theme.css'
import '../app/base.css'
import { StrictMode } from 'react'
import { I18nProvider } from 'react-aria-components'
import { createRoot } from 'react-dom/client'
import { applyTheme, currentLanguage } from '../app/preferences'
import { loadTranslations } from '../text/translations'
import { ComponentsPage } from './components-page'

// Entry of components.html, which "npm run dev -w packages/web" shows and tests build. The page of the service does not contain it.
applyTheme()
const language = currentLanguage()
document.documentElement.lang = language
void loadTranslations(language).then(() =>
  createRoot(document.getElementById('root') as HTMLElement).render(
    <StrictMode>
      <I18nProvider locale={language === 'zh' ? 'zh-CN' : 'en-US'}>
        <main>
          <ComponentsPage />
        </main>
      </I18nProvider>
    </StrictMode>,
  ),
)

// Fixed expressions with a conjunction inside: one word, whatever their parts mean.

const PHRASES_EN = `
ask and answer|back and forth|bait and switch|bed and breakfast|black and white|bread and butter|buy and hold
checks? and balances?|clean and simple|click and drag|command and conquer|command and control|compare and contrast
compare and swap|copy and paste|crash and burn|cut and dry|cut and paste|divide and conquer|divide and rule
drag and drop|ease and convenience|fetch and execute|find and replace|fire and forget|hit and run|hide and seek
input and output|load and (?:save|store)|create and (?:delete|update)|live and learn|look and feel|lost and found
map and reduce|meet and greet|mix and match|name and shame|nuts and bolts|park and ride|pick and choose|plug and play
point and click|pros and cons|publish and subscribe|push and pop|push and pull|questions? and answers?|q and a|r and d
read and write|requests? and responses?|research and development|rise and fall|rock and roll|save and (?:exit|quit|load)
search and (?:replace|rescue)|show and tell|show and hide|sign in and sign up|start and (?:stop|end)|stop and (?:go|start|wait)
supply and demand|surf and turf|terms and conditions|test and set|tips and tricks|touch and go|track and trace
trial and error|try and (?:catch|error)|up and running|wait and see|wear and tear|undo and redo|sort and filter
`
  .trim()
  .split('\n')
  .join('|');

const PHRASES_ZH = '与此同时|與此同時|苟且偷生|得过且过|得過且過';

export const IDIOMS = new RegExp(`\\b(?:${PHRASES_EN})\\b|${PHRASES_ZH}`, 'gi');

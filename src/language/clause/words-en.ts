// English words that decide what a clause is. Data only; how they are used is in english.ts.
import { wordSet } from './clause.ts';

/** Verbs that are no common noun before another noun: "fix bar" is never a thing. */
const PLAIN_VERBS = wordSet(`
  accelerate activate adapt add adjust adopt align allocate alphabetize amend analyse analyze annotate anonymize append
  apply approve archive arrange articulate assemble assess assign assist attach author automate backport bake begin
  boost bootstrap brainstorm bring brush buy calculate calibrate cancel capture catalog categorize celebrate centralize
  change choose clarify classify clean clear clone close collect combine compare compile complete compose compress
  compute condense conduct configure connect consolidate construct contact containerize convert cook correct craft
  create critique crop customize deactivate debug decide declare decode decommission decompose decouple decrease
  deduplicate define delete deliver demonstrate deploy deprecate derive describe detect determine develop devise
  diagnose digitize disable disassemble discover discuss dismantle distribute divide document download drop duplicate
  edit elaborate eliminate embed emphasize enable encode encrypt enhance enlarge enrich enumerate establish estimate
  evaluate evolve examine execute expand explain explore expose extend extract fetch figure file fill finalize find
  fine-tune finish fix flatten fork formalize format formulate gather generate get give hand harden help hide hire
  highlight identify illustrate implement import improve incorporate increase index inform initialize inject insert
  inspect install instrument integrate interview introduce invent investigate invite isolate itemize justify keep
  launch learn lengthen lint list load localize locate look lower maintain make manage map measure memoize merge migrate
  minify minimize mock model modernize modify modularize monitor move name negotiate normalize note notify obtain open
  optimise optimize order organise organize outline overhaul pack paint parallelize parametrize paraphrase parse patch
  perform personalize pick pin plot polish populate port post prepare present prevent prioritize print probe process
  produce profile program proofread propose protect prove provide provision prune publish pull purchase purge push put
  quantify query raise rank read rebase rebrand rebuild recommend reconcile record recover recreate redesign redirect
  redo reduce refactor refine reformat refresh refurbish regenerate register reimplement reinstall relocate remind
  remove rename render renew reopen reorganise reorganize repaint repair rephrase replace replicate reply report
  reproduce request require rerun research reserve reset resize resolve restart restore restrict restructure retest
  rethink retrieve revamp reverse-engineer revert review revise rework rewrite rotate run sanitize save scaffold scale
  scan schedule scrape scrub search secure select send separate serialize set share sharpen shorten show shrink
  simplify simulate sketch slice solve sort specify speed split spellcheck stabilize standardize start stop store
  streamline strengthen strip study style submit suggest sum summarise summarize suppress survey swap switch
  synthesize tabulate tag take teach tell test throttle tidy tighten toggle trace track train transcribe transform
  translate trim troubleshoot try tune tweak type unify uninstall unlock unpack unpin unzip update upgrade upload use
  validate vectorize verify version view visit visualise visualize vectorise wash watch weigh widen wipe wire wrap write
  zip repost rewire crosscheck double-check outsource plan draft design build check copy export audit benchmark prototype
  collect commit book call cut email host log message package research rate release shop ship score sequence ticket
  water walk feed clean vacuum mow cook plant pay renew return cancel cache deduce infer mark outline preview queue quote
  reword restyle rehost retry seed stub stage stress-test deep-dive triage tokenize unblock unwrap upsert whitelist`);

export const VERBS_EN: ReadonlySet<string> = PLAIN_VERBS;

/** Verbs that are common nouns or modifiers too: what follows decides. */
export const NOUNLIKE_EN = wordSet(`
  address approach archive audit benchmark book boost branch break build cache call catalog chain change charge chart
  check clean clear clone close color comment commit compile contact contract control copy cost cover craft crop cut
  debug deploy design display document download draft drop duplicate edit email end estimate exit experiment export feed
  fetch file filter find fix focus fork form format function grep group guide hand help highlight host import index
  input insert install interview invite issue join kill label launch lead lift link lint list load lock log look map
  mark match measure merge message mock model monitor move name note number offer open order outline output pack package
  page paint parse patch pay pick pin plan plant plot point polish port post practice present preview print probe process
  profile program project prototype pull purchase push query queue question quote raise rank rate read rebuild record
  redirect release render repair repeat replace reply report request research reserve reset restart result return review
  rework rotate run sample save scale scan schedule score search seed select send sequence set setup shape share ship
  shop show sign sketch slice sort sound source split stage start state step stop store stress stub study style submit
  suggest sum supply support survey swap switch tag target task taste test text ticket time title toggle trace track
  train transfer trim try tune tweak type update upgrade upload use value version view visit walk wash watch water weight
  work wrap write zip`);

/** After a noun-like word these make a compound: "search bar", "test plan". */
export const HEADS_EN = wordSet(`
  api app application areas artifacts balancer balancing bar bars box boxes branch branches button buttons cases case center checkbox
  code commands comments component components config configuration conflicts console controls coverage dashboard
  data database date dates dialog dialogs directories directory editor endpoint endpoints engine engines environment
  environments event events experience feature features feed feeds field fields file files filters flow flows folder folders form
  format forms framework function functionality functions generator generators guide guides handler handlers handling
  harness history hook hooks icon icons identifiers infrastructure interface issues job jobs key keys label labels layer layers layout level levels
  library lifecycle limits link links logic loop loops management manager managers menu menus message messages method methods
  metric metrics mode modes modal modals module modules notes number numbers operation operations option options
  order orders page pages pane panel panels parameters parser path paths permissions phase phases pipeline pipelines plan
  plans plugin plugins policies policy popup process processes processing queue queues request requests response
  results routes routine routines rules runner runners schedule schema screen screens script scripts section sections
  server servers service services set settings setup sheet size speed speeds stage stages state states statement
  statements step steps strategies strategy structure style styles suite suites support system systems tab table tables tabs
  task tasks team teams template templates time timer times token tokens tool tooling tools type types utilities
  utility validation value values variables version versions view views window windows workflow workflows worker workers`);

export const DETERMINERS_EN = wordSet(`
  a an the my our your his her their its all any both each every some no these this that those another other several
  many most few two three four five six seven eight nine ten one`);

/** Never the verb of a request, whatever follows. */
export const NEVER_VERB_EN = wordSet(`
  a about above across after against all along also although always am among an and another any anyone anything are
  around as at away be because been before behind being below beneath beside besides between beyond both but by can
  could despite did do does down during each either else even ever every everything except few for from had has have he
  her here him his how however i if in inside instead into is it its just least less like many may me might mine more
  most much must my near neither never no nobody none nor not nothing now of off often on once one only onto or other
  our out outside over per perhaps quite rather really same shall she should since so some something soon still such
  than that the their them then there these they this those though through throughout thus till to today together too
  toward towards under unless until up upon us very via was we well were what whatever when where whether which while
  who whom whose why will with within without would yes yet you your ours yours theirs only especially including
  regarding concerning maybe probably`);

/** How work is to be done, or what comes with the answer; no work of its own. */
export const LIMIT_EN =
  /^(?:do not|don't|dont|never|no|not|without|avoid|ensure|make sure|make certain|be|please be|keep|preserve|leave|let me know|let us know|let's know|report back|get back to|ping me|remind me|remember|note|bear in mind|mind|beware|try not|feel free|stay|respect|follow|adhere|stick to|comply|obey|use only|only use|use|using|include|exclude|return|respond|answer|reply|cite|mention|assume|ignore|skip|wait|give it|give them|call it|name it|name them|handle|support|allow|accept|consider|think|take care|take into account|pay attention|treat|limit|restrict|stop when|see if|see whether|see how|ask me|say|speak|aim|hope|thank|thanks|confirm)\b/;

/** `ship`: comes when the rest is done, whatever the rest is. */
export const SHIP_EN =
  /^(?:commit|push|deploy|redeploy|ship|merge|rebase|restart|reload|reboot|relaunch|roll out|go live|retry|retest|rerun|re-run|publish (?:it|the (?:package|release|site|website|app|changes|results?))|(?:release|submit|publish|tag)(?:\s+(?:it|them|a|an|the)\b.*)?$|(?:open|create|send|make|submit|raise|file) (?:a|an|the) (?:draft )?(?:pr|mr|pull request|merge request|patch)\b|(?:run|execute|start|launch|rebuild) (?:all |all the |the |your |our |my )?(?:(?:unit|integration|regression|existing|whole|full|complete|e2e) )*(?:tests?|test suite|suite|linter|lint|build|ci|checks|server|app|application|program|script|container|service)\b|(?:check|verify|confirm|validate|test) (?:that|if|whether|everything|again|the (?:result|fix|changes?|output|build)s?\b))/;

/** Says what to hand over when the work is done. */
export const DELIVER_EN = /^(?:show|tell|give|send|email|bring|get|hand) (?:me|us)\b/;

const PREPARE = wordSet(`
  open read load fetch download find search look collect gather get scan parse extract analyse analyze run execute
  compute calculate count query benchmark profile clone pull crawl scrape list inspect examine take pick choose select
  identify locate detect install start launch build compile connect log sign visit switch measure copy unzip import
  fork receive request retrieve record check review train capture simulate sort split generate research investigate
  study survey crop cut join fill go navigate click mount decode decrypt assemble buy audit assess evaluate monitor
  initialize bootstrap boot scaffold reproduce diagnose debug`);
const CONSUME = wordSet(`
  print output show display save store send share email post upload submit report return present summarise summarize
  list plot visualise visualize export publish install run execute test verify validate compare train unzip extract
  parse convert sort filter count resize read copy move start click type press select evaluate process transform
  describe explain highlight fill enter play view feed insert import tabulate rank label classify predict notify apply
  record configure boot check answer graph chart archive zip tell give return identify find calculate compute group
  recommend suggest mail forward attach load open cook eat serve pick choose flag annotate discuss interpret estimate
  aggregate render`);
const CREATE = wordSet(`
  write create build implement develop design add make generate scaffold draft introduce set compose construct prototype
  define invent model produce author`);
/** What a consumer makes of prepared things, unless it has a subject of its own. */
export const DELIVERABLE_EN =
  /^(?:write|draft|create|prepare|make|produce|generate|compile|build|give|provide|propose|suggest|fill|draw|file|open)(?: up)? (?:me |us )?(?:a|an|the|your|some|any)? ?(?:\w+ ){0,2}(?:report|summary|overview|table|list|chart|graph|analysis|recommendations?|comparison|memo|presentation|slides?|spec|proposal|plan|diagram|findings|conclusions?|fix|solution|ticket|issue|dashboard)s?\b(?! (?:about|on|for|of|comparing|describing|covering|explaining))/;

export function verbKindEn(verb: string): ReadonlySet<'prepare' | 'consume' | 'create'> {
  const kinds = new Set<'prepare' | 'consume' | 'create'>();
  if (PREPARE.has(verb)) kinds.add('prepare');
  if (CONSUME.has(verb)) kinds.add('consume');
  if (CREATE.has(verb)) kinds.add('create');
  return kinds;
}

/** Words that say what to add to another thing, without naming the thing. */
export const RELATIONAL_EN = wordSet(`
  test tests unit integration e2e doc docs documentation docstring docstrings comment comments example examples logging
  logs validation error errors handling type types typing annotations coverage readme usage instructions some new more
  proper basic simple corresponding matching relevant appropriate the a an any full good comprehensive few edge cases`);

/** Things that every piece of work has: said alone, they are those of the work before. */
export const GENERIC_EN = wordSet(`
  code file files data text list form table values value numbers rows columns items entries lines content contents whitespace
  duplicates changes errors issues problems function class script project program dataset image images archive key keys
  everything anything all else page image string array object word words sentence details box button link server`);

/**
 * English words that are near to a word of the lexicon and yet mean something else: "miss" is no "mass". They are never corrected. From SCOWL (size 50),
 * Copyright 2000-2011 Kevin Atkinson: permission to use, copy, modify, distribute and sell is granted without fee, with this notice.
 */
export const english: ReadonlySet<string> = new Set(
  `aback abacuse abalone abased abashed abasing abating abed abetted abetting abide abiding able abode abort aborted aborting abound abscess absolute absolutest
absolve abused abuser abusive abut acceded accented acceptable accosted accounted accused accusing ach ached achieve acidity acknowledgment acme acre acreage
acrobatic act acted activate activism activist actuality actuary add addend addenda adder addicted addiction additive addled addling addressed adduced adman
admen administrate administrated administration admit adoption adore adverse adverted adverting advised adviser advising advocated aerated afar affection
afflict afflicted afflicting agave ageless aggravate aggravated agog aground ague aide aided ail ailed ailing aim aimless air airhead airtight alarming alb
alga aliasing alight aligned alignment alike alliance allocate allotted allying almighty aloe alway amazing ambition ambling amounted amp amperage amuse
analogue analyse analysed analysis analytical analyze anapest ancestor anger ant anteing antibody anticked antlered anuse apace aped apparel apparent appeal
appealed appealing appeased appeasing applicator appreciable appreciative apprise apprised apprising approximate approximated apse apter arc arch archive
archived ardent arguing aright arise armrest aromatic arouse arousing arraigned arrange arranger arraying arrest arrive arriving arrow art artiest artless ash
ashed ass assailable assaying assent assert asserted asserting assisted associate aster asthmatic astound astride atom atone attach attract attribute auction
audio auditing audition auditory aught augment auguster auk authenticate authentication authored autocratic autocratically automate automated automating
automaton autumnal availed availing avenged averred averring avert averted averting avoidable await awaited awarding awed awl awry ax axed axiomatic
axiomatically baa baaed babe babiest babying backdrop backhoe backwood bacon bade baggier baggiest bagging bailing bait baiting bake baked bald bale baled
balking balling ban banding bandy bandying bang bani bann barb barbering barbing bard bared barf barfing barging barking barn barraging barreling barrier
bartering baseness bash bashed bashing basked basking baste basted basting bat bated bath bathing batter battery battier batting baud bawling bay bayed beach
beached beaching bead beading beaming beaning bearding bearish beater beating beavering becalmed because beck beckoning become becoming bedside bedsore beef
beeline beep befogging beg beggaring behalve behaving belaying belched belching believed believer bellow belonged benched benching benignly bequeath berating
beset besot bestride beta betaken betaking bethink betide betided betoken bettered bettor bewaring biase biased biasing bid bigness bilk binding binning
bitter bittern blacked blacken blacker blacking blaming blanch blanked blaring blasted blasting blazing blazoning bleach bleached bleacher bleaching bleak
bleat bled bleeding bleeping blenched blenching blend blinded blinder blinding blindly blink blinking bloated bloating blobbed blobbing bloc blockade
blockaded blockading blockhead blogged blogger blond blondest blooded blooding bloomed blooming blotched blotching blotted blotter blotting bloused blowgun
bluffed bluffer blunted blurring blushing boa boarded boarder boasted boat boating bob boggier boggiest boldest bombard bond bonding bonging boniest boo boob
bookend booking booky boom boon boor boot booth bop boring bossiest bossiness bossing bossy botch bounce bouncer bouncier bounded bounden bounder bounding bow
boy bra bracken brad bragger bragging braiding braining braised braising brake brand brandied brandish brandying brat bravest brawling bread breaded breadth
breaker breakup breasted breasting breath breathed breather breathing breathy bred breech breeding bribing bricked bricking brine bringing brink briny briskly
bristly broach broached broaching broadcast broaden broader broadness broker bronchi bronzing brooding brook brooked brooking broth brown brownest brunch
brunching bucking buffed buffet buffeted bugger buggier builder buildup built bulb bulgiest bulkiest bulkiness bulky bull bullock bum bummest bumpiest bun
bunched bung bunk bunt bur burg burliest burliness burring bused bushiest bushiness buss busyness butt butter buttered buttery buy bye cab cabbing cabled
cabling caching cad caddied caddying cadging cadre cage cagiest cajoled cake caked calcify calculable calculated calculator calendared calf caliber caliper
calk calked calking calling callower calluse callusing calm calmed calmer calmness calved calving camel cameo camp camped candied candying cane cankered
canned cannery cannier canning cannon cantered canto cap caparison cape caped capering capping captained captaining caption captive captivity carb carbide
card cared caret caribous carnation caroling carouse caroused carousing carp carped carrier carrion cased cash cashing casing cask cast caste castled casually
catalpa catcalled categorize catered catering cation cattiest caucuse caucused caucusing caulking caution cautious caw cease cede cell censure cent central
centrist cerebra certainly chaffed chafing chagrin chained chair chalkiest chalking chancel chancery chancier chanciest chancy changeling channel channeled
chanted chanter chantey chanting chapped char charade charger charier chariest charily chariot charisma charm charmer charring chary chase chasing chasten
chastest chat chatted chattier chattiness chatting cheaper cheated cheating checker cheeked cheeking cheep cheeped cheeping cheery cheesed cheesing chef
chequed chequer chequing chewer chewier chewing chick chicken chiefly chilled chiller chiming chin chinking chinned chit chocked chocking choicer choicest
chomped chomping choosing chop chopped chopper chore choruse christen chromed chroming chuck chucked chucking chuckled chuckling chugged churl circulate
citation cite clack clacking clammed clan clanged clapped clapper clarification clarified clarion clarity clashed clashing clasped clasping classed classify
clause clawing cleaned cleaner cleansed clearer clearest clearly cleaved cleaver clement clerking clewing click clicked clicking climbed clinical clit cloak
cloaked cloaking clobber cloch clocked clod clogged clogging cloister clomped clone cloned cloning clop clopped clopping closely closest closet closeted
closeting clothed clothing clotted cloture clouded clouding cloudy clout clouted clove clover clown clowned clowning cloyed cloying cluck clucked clucking
clunked clunking cluster coal coaling coalition coarse coarsen coarser coasted coasting coaxing cock cod coda codding coded codex coding coed coerced coercing
coffined cognition cohered cohering coif coiling coincidence coincident coking col cold collage collaring collated collation collecting collective colleen
college collier collocated collocation colluded collusion colored coma comb combating combine combing comer comet commanded commander commando commence
commented commode commonly communicating communicative communicator communist commute commuted commuter compact compacter compacting companion compass
compassed compassing compassion compelled competent competing compiler compiling complected complex complying comport comporting composer composing compote
comprise compromised compulsorily computing comrade concealing conceding conceived conceiving conception concern concerted concertina concerting concession
conclude conclusive concoct concocted concoction concreted concreting concurrence concurring concussion condemned condemning condiment conditional conditioned
conditioner condoned conduct conducted confection conference conferring confidant confided confidently confiding confine confining confiscation confluence
confluent conform conformation conformed confused confusion confute congaing congested congestion conjoin conjoining connecting connective connector connived
connote connoting consent consented conserved conserving consider consign consigned constrain constrained constraining contacting contagion contend contention
continence continent contingent continuing contracted contradict contralto contrary contrition contrived contriving contusion convection convene convent
convention converge conveyed conveying convict convicted convinced convulsion coo cooing cook coolant coolest cooly coot coping copious copping copying cord
cording cored coring cork corking corm corn corncob cornered cornering corp correcter correctest correction corrector correlate correlating correlative
corrugated corrugation corrupt corruptness cortical cosy cot couched couching coughed coughing counter countered countering countess country couplet coupling
courier coursed courser court courted courting courtly cove coverall coverlet coveted coveting cowered cowering cowhand cowing cowl cowling cozened cozening
cozy cracking cradled crafted craftiest crammed cranked crap crated crating crawled creaked creaking creamed creased create creating creative creature
credited creditor cremate cremated cremation crematory crested crib cricked cricking criminal crimped cringed crippled crisped critically crock crone crony
crooked crooned cropper cross crossed crosser crossing croup crowd crowded cruised cruising cruller crushed crushing crypt cryptic cub cud cue cuffing culled
culling cult cum cup cupped cupping curator curb curbing curd curie curiously curling curly currant curried curry currying cursive curtail curtain curtained
curtaining curtest curved curvier curving curvy cury cuss custody customary cute cycling cyclonic cynosure dab dabbing dagger dairy daisy dale dally dam dame
damming damning damping dancer dancing dander dandier dangerously dangled dank danker darn dart dartboard darting dashing dated daunting dawn dawning daze
dazing deactivate deadlier deadliness deaf deal dean debar debased debasing debuted decayed decaying decease deceased deceasing deceived deceiver deception
decibel decide decidedly decisive deck decking declared declined decoded decoder decreased decreed decreeing decryption deduce deduced deducted deducting
deduction deed deeded deeding deeming defaced defacing defaming defaulted defaulter defeating defecated defecating defecation defect defected defecting
defection defector deference defiant defied defiling deflation deflect deflecting deflection deflector defrayed deftest defying deice deicing deified deject
dejected dejecting dejection delaying delegated delegation delete deliver deliverer delusion delving demoted demotion denier denizen density dent dented
denying dependence dependent depicted depicting depiction deplaned deplete depleted depletion deployed deposition depressing deprive deputed derail derailing
derided derision derive describe descried descriptive descriptor deserting desertion despondency destroy destructible destructing destruction destructively
detached detaching detailed detailing detain detective detention deterred deterring detest detested detesting detract detracted detracting detraction
detractor devaluing developer developmental deviance deviant deviate deviled deviling devise devised devotion dialing dialled dibbled dibbling diciest dick
dicker dieting differed differently differing diffidence diffident digested digress dilating diluted dilution dimmest dine dingier dingiest dipping directed
directing direction director direst dirtied disabuse disabused disabusing disappear disarmed disarming disbanded disbarred disc discard discerned discharged
discoing discolored disconcerted disconnect disconnectedly discontented discorded discounted discoursing discover discoverer disgust dish disjoint disjointing
dismount dismounting dispatch dispatcher displace displayed disregarded distance distant distincter distinctly distort distract distribute distributing
distributive district disturb dittoed ditty dive divest divide dividend divider divined diviner division divvied doable doc docked docket docking dodging
doffing doggier dogging doily doling dolt doming donating donation donning donor doom dooming doping dork dorkier dosing doubled doublet doubly doubted
doubter dovetail dowdier downgraded downier downing download downwind downy dowsing dozing drafting drained drawling dray dread dreading dreamed dreaming
dressier drier drifted drilled drip dripped dripping drivel driven driver drone drooled drooling droop drooped drooping droplet dropper drove drown drowned
drowning drowsed drowsier drowsing dry dubbing ducking duded duding duel duet dump dumping dun dunging dunking dunning duo duping duplication durable duskier
dustier dwelling dy dyer dying earache earliness early earnest earthed earthier earthiest earthlier earthliest ease east eat eatable eave eddying editing eel
eeriest effecting effectively eight eject ejected ejecting ejection eke elated elating elation elected electing elective elector elegant elision elocution
elusive elusively elve emailed emailing ember embitter emceed emceeing emended emerged emergence emergent emery emission emitting emote empathy empire
employed employer emptier emptily emptiness enact enacted enameled encased enclosed encode encoder encoding encored encoring encounter endowing endowment
endued enduing endured enduring enervate enervated enervating enjoyed enjoyment enlisting ennoble enquire enquired enriched ensuing ensured entailed entered
entice enticed enticement enticing entirety entitle entropy entwine enumerable enumerated envelop enveloped envelopment enviable environmental envying epithet
equable erasing erasure erected erecting erectly erosion escalate escalating escapade escaped escapee escorted espouse espoused estimate etched ether evasion
eve evenest evermore evicting evident evincing evocation evoked evoking evolution ewe exacting exalt exalting excavated excavation exceedingly excepted
exceptional excerpt excerpting excessive excessively exchanged excise excision exclamation exclusivity excretion excursion excused excusing execrated execute
executioner executive exempted exempting exemption exertion exhalation exhibition exhilaration exhorted existent exit exited exiting exoduse expecting
expectoration expedience expelled experience experimented expert expiate explained explode exploding exploit exploitative exploiter explore exploring
explosion explosive explosively exporter exporting expose exposing expound express expulsion extended extending exterminated extermination extolled extorted
extract extrude extruded extruding extrusion exulted exulting eyed fabled facet faction factored factory faculty fade fag fagged fainest fainted faintest
fainting fair fake fallowing falsely falser faltered faltering fame famished fan fancily fanning fanny farce fared farewell faring farmer farming farther
farthest farting fascist fasted fasten fastener fastness fatally fated fatigued fatter fattest fattier fattiest faulted faultily faxed faxing faze fear
fearing feast feasted feather feathering featured feeding feinting fellest felling felt felting fen fencing fending fest fester festered fettered feud feuding
fever fib fibre fiction fiddled fiddling fielding fiendish fig fight fighter figured figurine figuring filing filled filler filleted filleting filling filly
filmed filmier filthier finale finalise finalist finalize finer finessed fingered fingering finis finise finisher finking fir fireball firmed firmer firmest
firming fiscally fissure fit fitter fittest fiver fixated fixating fixedly fixer fixture fizzled flailed flailing flaking flaming flanked flapped flapper
flaring flashed flashest flatbed flatted flatter flattest flawing flaying fledged fleeted fleeter flesh fleshed fleshier flew flexing flied flighty flinging
flipped flipper flirted flirting floated flocked flog flogged floored floppier flossed floured flouted flow flusher fluster fluxing foamier fob foe fog foiled
foiling fold folder folding folly fondled fondling font fop foraged forbear forced forcep forcing ford forded forearming foreman foremast foremen forester
foresting forever forewarning forfeit forfeiting forged forging forgot forking form formal formatting formed formerly forming fort forte forward forwarded
forwardest forwent foster fostered fostering foulest foully founder founding foundry fount four foxed foxing fractional fractious fracture fracturing frailer
frailty freed freer freezer freight freshen freshest freshet freshmen fret fretting friable friction fried friending fright fringing fritter frittered
frittering frog frond frontal fronted frost fruition fry fulling fullness function funding funking funnest furl furling furnish furnished furring fustier
fustiest gab gad gag gain gal gale game gape garb gase gasp gate gavel gay gaze gazetting gearing gee gel gelding gelling gem gene genera generally generation
generic genital gent gentlest gentling gestating gibe gifting girting glanced glib glimmer gloving glowing glutting goad goading goat gob gobbing goggle
goggled gold golfing goner gonging goody goof goofing googled gook goon goop goosing gore gorging goring gosling gouging gout gowning graceful grad grafter
gram grape graphed graphic grasped gratefully grater grating grave gravest gray grayest greased greasier greasiest greatness greed greener greenest greening
greet greeted grey grimmer gripped gritting groaned groomed grooved groped groping grossed grouched grounded grouper groupy groused grout grouted grow growing
growled grownup grub guessed guesser guest guesting gum gun gusting gutless gutting gyp haft haggled haggler hairiest hairless hake hale haling hallowed halt
halve halving hampered hampering handcar handed handheld handier handiest handily handlebar handy hang hangdog hanged hapless happier hardened hardening
hardier hardiest hared haring harmlessly harpist harshest harvest hash hasp hassled hassling hastened hastening hastiest hath hating hatting haunting hawing
haying haze hazing headach headiest heady healing healthily heaping hearing heartache heartbreak heartfelt hearth heartily heartless heath heather heave
heavenly heaviness heaving heavyset heck heckled heckling heftiest hefting heisting hellion helping hemp herb hereof hero heroe herpe hex hided hied hieing
highness hike hiking hilt him hind hinging hint hinting hip hipper hippest hiring hitching hither hoard hoarding hoarsest hob hoe hoed hog hoist hoisting
holed holiest holing holy home homemade homiest hone honester honesty hood hooding hoofing hooking hooping hoot hop hope hopping hording hornless horsing
hostage hostess hotness hounding housing hove howl howsoever huddled huddling hugging hulking hulling hum humane humaner humanly hundred hurdled hurdler
hurdling hurting hushing husting hut hyphened hyphening ickiest identifier ignited igniting ignoble ignominy ignorant ignored ill imitated imitation imitator
immolate immolated immolating immolation impacted imparted impassable implausibly implement implementer imploded imply importance importer importing importune
importuned imposition impossibly impotent impotently improper improve improvised imputed inaction inanest incense incensing incest incidence incidental
incipient incised incite incited incline inclining included inconclusively incorrectly increased increasingly indebted indented indication indicted
indifference indifferent indigent indisposition indistinct individually inductive inefficient inequity infected inference infest infested infidel infidelity
infield infirm inflate inflated inflating inflation informal informed informer ingress inherent inhering iniquity initialed initiate injected inked inn
inquest inquire inquired inquirer inserted insider inspire instanced instant instigating instigation instigator instill instilled instinct instruct instructor
insufficiency insufficiently insulate insulated insulating insulation insured intelligent intensest inter interact interacted intercept intercepted
interception interject interjected interment internet internist interrupting intersect intersected intimated intimation intro intrude intruding intuited
inuring invaded invective inventor invest invested investigate investigative investigator investor invitational invocation invoicing invoking irritation
issuing ivy jab jest jeweled jeweler jewelry jib jog joiner jointed jot jounced joust joy judge judgment jugged juggled junk jury jut jute keel keeling keen
keening kelp kennel kenning keyboard kid killer kiln kilned kilo kindle king kingly kink kite kith kneeing kneeling knelled knew knit knob knot knowing
labored lacing lacked lactated lactation lacy lade laded lading lager lagged lagging laid lain lame lamely lamest lance lanced lander lane lapel lapped
lapping lapwing lard larded larder largess largo lark larking larynge lash lashed lashing lass lastingly lat latched latching latency latent later lateraled
laterally latex lath lathe latte latter latterly laud lauded laughed launcher launder law laxest lay layered laying laze leaf leagued leak lean leap learned
learner leash leashed leather leaved leaven leavening lectern lefter leftest lefty leg legation legged legging leis lemma lending lengthen lengthy letdown
lettered letting levee leveled lever liaising libation libel libeled liberal liberally lice licit licking lid lied lief lien lifelike lifeline lifer lift
lifting light lighten lighting liken liker lilt lilting limbering lime limiest limiting limning limping lineally lined linen liner linger lingerie lingeringly
linker lire lisp lisped lisping listener listening lite literacy literal lithest litter littering littler lived livelihood lively liven liver load loading
loafing loaning loathed loave lob lobbing locate locating loci locker locket locution lodged lodger lodging lofted lofting loge logger logical loin loll
lolling lone longed longing longish lookout loom loomed looming loon loonier looniest loop looped looping loosely loosen looser loosing loot looted looting
lop lopped lopping lording losing lottery loud loudness lounged lounging louse lousiest love lover lowed lowered lowlier lowliest lowness lucked lucking lug
lugged lugging lunched lung lunging lurched lustily lute lynched mace macerate machete machined machinery macho macing macro mad maid mailer mailmen maim
maimed maiming main mainline majored majoring maker male maliciously mall mallard manacled mandated manfully manger mangier mangling mangy manlier manly
manning mantling map mapping mar marbling marched marcher marching mare mariner markedly marker market marketed marketing marred married marring marrying
marsh martini masked massage massaged massed massing mast master mastery math mating matrice matte matted mattered maturer maturing maturity maul mauled
mauling maw maximal maxing mayo mayor maze meal meanest meatier meatiest meddling media medial mediate medical meet meld melding melt melting memento menaced
menagery menially mentally menthol mentored mentoring menu menus mere merge merger meridian merited meriting mesdame meshing messed messing meted metering
meting metre mewling mica mice mien miffing mil mile miler militated mime miming minatory mince mincing minding mineral minicam minimal minis minored minoring
minority minster mintier minting minuet minuse minuted minutely minuter minutest minutia minutiae minuting mire miring miscued miscuing misdeed misdoing miser
mislead misled misprint misread missile mission missive misspend misstate misstep mist mistaken misted mistime misting mistype misused misusing mitigate mixer
mixing mixture mkay moaning moat mob modeling moderated moderately moderator modicum modulate moire moist molt molting mom momentum monarch moniker monk mono
monster mony moo mooched mooching mooed mooing moon mooning moot mooting moped moping moraine moss moth motivated motored motoring mounding mount mounted
mounting mourning moussed moussing mouth mouthed mouthing movie movingly movy mow mowed mowing muck mucking muddling muddying muffing mugging mulch mulched
mulching mule mumbler munch munched munching muse mused musing musk muss mussed mussing mustang musty mutated mutating mutilated mutiny mutt mutter mutually
nabbing nagging nailing naked nape napping narrate narrated narrating narration narrower narrowest nave nay nearby nearest neatest neatly necking needled
needling needy neighed neon nerd nervier nerving nest nesting netbook nether networked newby newel newness newsier newsy nicer nich niche nick niece nigh
nightlife nimbler nit nitrated nod noe noised noisiness noising noisome noisy nonmember nope norm normalcy normally nose noshing nosiest notched notching
noted noticing notified noting noun novice nowhere nowise nude nuder numbed numbered numbest numbing numerate numerated nun nut nutting oaf oar oat oaten
obeying obit objected objector obliviously observe observer obsessed obsoleted obtained obtaining obvious occluded occlusion occupied odd oddest ode odiously
odor offence offended officer oftener oily oinking olden oldy omen opener operate operated operational operator opined opining opponent oppose opposition opt
optical optimal optionally optioned orating orb orc ordering ore organise organiser organism organist organizational organize organizer orgy orifice
origination otter ouch ounce oust ousting outdoing outdone outed outer outfox outfoxing outgrowing outlasted outlawed outlive outlying outraged outrider
outshine outsider outsize outstandingly outstaying outvote outvoted outvoting outwore ovation oven overact overacting overage overawing overdid overdoe
overdone overdose overeating overfull overgrew overhaul overkill overlap overlay overrating overrule overruling overrun oversee oversell oversight overt
overtly overturn overturning overuse overweight owed owing owl oxen ozone pace pacific pacifically pack packaged pact pager paid pail paint painter pairing
paisley palace palate paler pall palling palming palpate palsied palsying pamper pan panache pang panicked panning pant panther pap papering papery par
parading parakeet parch parched parching pared parentage paring park parking parquet parred parried parring parrying parsnip parson partaker parted partial
particularly particulate parting partition partnered party partying pass passable passably passage passed passer passing passport pasta paste pastern pastich
pastier pasting pasture pastured pasty pat patchy patho patter pattered pattering patterned pauper pausing pawn pay payer pea peace peak peaking pealing pear
pearled pearling pec peck pecked pecking peddling pee peed peek peeking peel peeling peep peeping peering peeving peg pegging pelting pen pendant penning
pension peopled pepped pepping percentile perched perching percussion perdition perfect perforated perforce perform performer perfumed periled periodic
perished perishing perk perked perm permissive perplex persistent persona personae personal pertest perused perusing pervert pest peter petition petitioned
petting petty pew phased phisher phoned phoneme phonied phonier phoning phony phrase phrased phrasing pica pickaxed picker picket picketed pickier pickled
picky pictured pieced pier pierce pierced pig piing piked pill pin pinching pine pinging pinion pink pinked pinking piper pipped pirating pitch pitched
pitcher pitching pith pitting pivotal pivoted placebo placed placer placing placket plague plaice plaid plainer plainly plaint plait plane planing plank
planned planning plant planter plaster plateau plated platen platformed plating plausibly playback playboy playroom pleader pleading pleased pleasure plexuse
plod plodded plopped plotted plotting plow plowing plucked plug plugged plum pluse poached poaching pock pocked pod podding pointed pointer pointy pol police
policed polishing poll pomp pone pontoon pooched pooching poohing pooling poop pooped pooping pope poplar populace popularly populate porpoise port
portability portable portage portent portico porticoe portioned portray posed posh positional positioned positively positron post postage postlude postman
postpone postured postwar pot potion potted pottery pouched pouching pounding pout pox practical practiced practise practised praised praising prate prayed
praying precedence precious precise preciser precisest preclusion predication predict predicting predictive predictor predilection preeminent preempt prefect
preheat prelate prepped prescience prescient preserve preset president pretend pretense pretext prettify prettily prevalence prevent previously pricing prick
pricked prickled prig prim priming princess printed printer prior privier privileged prizing pro proactive probable probated probating probed processed
procession processor procure procured procuring productively prof profess profession profited profuse progeny programme progressed progressing progressive
project projected projection prolong prominence prominently promised promote promoter promotion prompted prone pronged proofing prop proponent proportional
proportioned propose proposed proposition propped propping prorated prosecuted prosecution prosier prospected protean protecting protective protein protest
protested protester protracted protraction prouder provable provably provender provide provided providence proving provision prowess prowler prowling prudence
prudent prudently pruning psst psyched psyching pub publish publisher puck pudding pug pulp pulsate pulsing pun punched punching puncture punishing punitive
punt punting pupped purging purl purling purport purposed purposely purring purse purser pursing pursuer pursuing pushing pushy puss pustule putrefy putt
quack quacked quackery quainter quaintest qualify quantify quarrel quartered quarterly quartet quavery queened queered queerest queerly quelled queried
quested questing questioned questioner quich quicken quickness quieter quietness quietuse quilt quilted quilter quipped quire quirk quirked quirkier quirkiest
quitter quoited quoth race raced raciest racing rack racking radii radioing rafted rafting rag raged ragging raging raid raided raiding rail railed railing
rain rained raining raisin rake raking rallied rally ram ramming ranch ranched rancher random ranger rangier ranging rangy ranker ranking rankled ransomed
ranting rap rape raped rapider rapidity raping rapped rapping rapport rared rarefy raring rash rasher rashest raspiest rasping rat ratchet ration ratted
rattier ratting rattled rattler rattling rave raved ravel raving ravished ravishing rawest ray raze razed razing razzing reached reaching reacted reacting
reactivate reactivating reactor readable readier ready readying reagent realer realest realign realise realised realising reality realm realty reamer reaming
reaper reaping rearing rearranged reasoned rebated rebating rebelled rebind rebuilt rebutted recant recanted recanting recasting receded receipting reception
receptive recessive recline recliner recoiled recopied recopying recorder recount recouped recouping recover recovered recreant recreation rectory recurred
recurrent redcoat reddened reddening redder reddest rededicate rededicated redhead redistrict redistricted redo redraft reducing reduction reed reedier reedy
reefing reeking reelect reelected reelection reenact reenacted reentry ref referenced referent referring reffing refiled refining reflect reflected reflection
reflective refocused reformed reforming refract refrained refraining refresh refresher refueled refugee refunded refuse refuted refuting regained regaining
regal regally regarded regency regent regimen regional regress regression regroup regrouped regulating regulation rehearsed rehearsing reheat reheated
rejecting rejoinder rejoined rejoining relabel relapse relate relational relatively relaxant relaxation relaxed relaxing relayed relaying relearn relearned
relearning relegate relegation relent relented relevance relevancy relevantly reliable reliant relieving reloaded relocated relocating relocation rely
remaindered remained remand remanded remarked remarry remediable remedial remedied reminder reminding remotely remoter remotest renal renamed rend render
renovation renting reoccurring reorder reordered reorganization reorganized reorged reorging rep repainting repairing repairmen repartee repay repeal repealed
repealing repeatedly repeater repeating repented repenting replacing replay replaying repleting repletion replied reportedly reporter reposing represent
reprieve reprieved reprint reprocess reproduce reproduced reproducing reprogram reproof reprove reproving repudiate repudiated repudiation reputing requiem
require requiring requite requited reroute rerouted rerouting rerunning rescinding resented reservedly reserving residing resilient resister resistor resolute
resolving resort resorted resorting resound resounding respected respecting respell respelled responded respondent responsibly responsive restating resting
restrained restraint retailed retailer retainer retaining retard retarded retarding retched retching retentive reticent retiree retirement retort retorted
retorting retracted retraction retrained retraining retreat retrieval retrieved retriever returned returning reunion reusable reused rev revealing revenge
revenged revenue revere revered reverence reverenced reverend reverie reversal reversing reverting reviled reviler reviling revised revision revived revoke
revoking revolting revolution revolve revolved revolver revolving reward rewarded rewarding rewind reword reworded rewording reworked reworking rewritten
rewrote rhea rib ribbing ricing rick ricking ride ridging riding riffing rifting rig rigging righted righter rightly rigidly rill rim riming rimming rind ring
rink rinsing rioting ripen ripened ripening riposted riposting ripped rippled rise riser riskier riskiness risking rite ritziest riven riverbed riveted road
roaming roan roaring roaster roasting rob robbing robe robing robuster rockiest rode roe rogered roil roiled roistered roller rolling romping roof roosted
rooster rooter rooting rope rosiest roster rot rotate rotating rotation rotted rotting roughed roughen rouging round rounder rounding roundly route routed
routing rove roved royally rub rubdown rube rude rue rued ruffling rug ruin ruing ruining ruled ruler rum rumbling rumored rumoring rumpling rune rung runnier
runt ruse rusk rustiest rusting rustling rut rutting sack sacking saddest sadistic safeness saga sage sagest sagging sail sailing salience salient salinity
sallower sallowest sally sallying salt salting salving sambaed sameness sampler sanctity sander sandier sanest sang sanitary sank sapling sappier sapping sash
sass sate sated satiate satiety sating saturation saucing sausage saving savoring savvied savvying sawed sawing scab scabbed scad scalded scalding scale
scaling scalloped scalped scam scammer scamming scamper scanning scant scanted scanter scantier scar scarcer scare scared scarfing scarier scariest scaring
scarring scatter scatting scent scented scenting schooner scolded scone scoped scorched scored scorer scoring scorn scorned scorning scotched scoured scouring
scow scowled scowling scraped scraping scrapping screech screened screwed scrimping scripted scripting scuff scuffed scum scummed scummier scumming scupper
scuttled sealing seamiest seaming sear searcher seared seascape seaside seat seating seceding secession seconded seconding secondly sect securely securest
securing sedating seedier seeding seedling seedy seeking seeming seeping seethed seething segment seize seizing selector selling selve senator senior sensing
sensory sepal separate separator serener serenest serenity serer serest serfdom seriously serous serrated serve served serviced servile setback settle settler
settling seventh several severed severer severest severing sewn sexting sh shabbiest shack shaded shadiest shadowing shadowy shafting shaggiest shakier
shakiness shall shallow shallower shamed shamming shapely sharing shark sharked sharking sharp sharped sharper sharping shatter sheared shedding sheen sheered
sheeting shelf shellac shelled shelter shelved shiftily shifting shimmed shimming shingle shingled shinier shiniest shining shinning ship shipped shipping
shire shirked shirker shirred shirt shitting shoaling shocked shocker shocking shod shoe shoeing shoo shooed shooing shoot shooter shooting shop shopped
shopper shopping shore shortage shortcut shorten shortish shortlist shortness shoulder shouting shoved shoving shower showered showering showery showman showy
shred shrike shrilly shrimping shtick shuck shuffler shunned shunning shunt shutter shutting shuttled shy shying shyster sibling sick sicking sided sidle
sidling sieving sift sifting sighed sighting signaled signatory signer signet signify signing signpost silently silkiest silky silt silting simmer simple
simpler simplex simplify simulation sincere sing singe singed singled singly sinned sipping sir sire siring sise sited siting situate six sixpence sized sizer
skate skating sketched skewing skill skim skimmed skimming skimp skin skinning skipped skipper skipping skis sky skying slab slack slacked slag slaking slam
slammed slammer slamming slander slap slate slating slave slaved slaving slaying sledding sleeting slender slewing slicked slid sliding slight slime slimmer
slimming slip slipped slipper slippery slipping slob sloe slog slop slope slopped sloshed slot slotted slotting slowed slowing slowness sluice sluiced slum
slumber slummed slummer slumming slumped slut smack smacker smallish smallness smart smarted smarten smarting smeared smelled smellier smelliest smelter
smelting smite smiting smokiest smolder smoothing smut snack snagged snakiest snaking snapper snare snared snaring snarkiest snarling sneak sneakiest sneezed
snide snip snipped snippet snippier snipping snit snitch snitched snooped snooze snore snored snoring snorted snot snow snowed snowiest snowing snuff snuffed
snuffer soaking soapiest soaping soared soaring soberly sock sod sodding soft sol solacing soled solemnly solidly soloed solution soot sooth soothing sootier
sop sopped sopping sorcery sore sorely soreness sorest sortied sorting sot sough sounder soundly sourced sourest souring sourness sourpuss sousing sow sowed
sowing spaciest spacing spading spammed spammer spangle spangling spanked spanking spanned spanner spare spared spareness sparing sparking sparring spat spate
spatted spatter spatting spawned spawning spayed speaker speaking spear spearing specified specifier specify specious speck specked specter sped speeder
speedily speeding speedway spelt spender spending spent spew spewed spewing spice spiced spicing spied spieled spikiest spiking spindle spinner spinning
spiraled spiraling spit spite spitted splat splatted splatting splay splayed splaying splice spliced splicing splint splinting sponger sponging sponsor spoon
spooning spooring spore sporing sport sportier sportiest sporting spotter spottier spotting spout spouted sprained sprang sprat sprawled sprawling sprayer
spreader spreading spreeing spriest sprig springy sprint sprinting spritzing sprouted spruced sprucing sprung spry spryness spuming spun spurious spuriousness
spurning spurring spurting sputter spy spying squared squareness squarest stab stable stablest staffed staffer stag stagger stake staked staler stammer
stanched stanching standby staple starch starched starching starchy stare starker starling starlit starred starring starter startled startling starved
starving stately stater statewide stating station statistical statuse stave stayed staying steak steal stealing steaming steed steeling steep steeped steeper
steeping steerage stent stepdad steppe sterile sterner stewing sticker stickup sticky stiff stiffer stiffly stigma stilled stillest stilt stilted stinging
stink stinking stinted stippling stitch stitched stoat stocking stoked stoking stole stomped stoned stoner stonier stoning stony stooped stooping stop
stoppage stopper stoppered store storied stork storm stormed storming stormy stouter stoutest stow strand stranding strange strapping stratum straw strayed
straying streaky streaming strewed stricken stricter stride strife striker striking string stringing stringy striping stripling stripper strive striven
striving stroke stroking strop stropped stropping strummed strumming studding studied stuffier stuffy stumping stun stunk stunned stunted stupider stupidly
sty style stylistic suave suavity sub subjected submitter subscribe subsisted subtitled subvert successfully successor suckering sue sued suet suffered
sufferer sufficed sufficing suffixing suffusing sugared suggest suing suited suiting sulkiest sully summarily summered summering summery summing summitry
summoned summoner sump sundae sunder sundering sundial sundry sung sunk supping supplest supplied supported suppose surer surf surface surfeit surfer surfing
surge surging surliest surliness surname surpassed surplus surplussing surprising surtaxed survive suspender suspense suspicion suspiciously sutured suturing
swagged swallow swanked swanker swankiest swarming swatch swathed swatting sway swaying sweating sweetly sweller swellest swerved swifter swigged swill
swimmer swimming swindle swished switcher swoon swore swum syncing syringe systemic tab tabbing tableau tabled tablet tabling tactical tactile tad tail
tailing talk talker tallied tallyho tallying tam tamable tamed tamer taming tamping tan tang tangent tangled tangling tangoed tangoing tanked tanning tapering
taping tapping tar tare targeted taring tarmacked tarring tart tartest tasering tasked tasted tasting tat tattering tatting tax taxable taxiing taxing tea
teak teal tear tearier tearing teasing teat tee teed teem teeming teen teethed telemeter telephoned telephonic telephony telephoto telethon telling tempering
temping tempted ten tenable tenancy tenanted tend tending tensing tent tented tenting terminate terminating test testate teste tester testier texted thatcher
theatre thee thereon thick thicken thicker thickest thicket thickset thin thinker thirdly thirsty thistle thong thorough thought thralled threaded threading
threaten three threefold threshed threw thrifty throb throe throughput thrower thrown thru thus thwacked tick ticked ticker ticketed tickled tide tilling tilt
tilting timber timbering timberline timelier timeliness timid timider tine ting tinging tinning tinseling tip tipped tipping tippled tire tit tithe tithing
titled tittle toad toady toasted toddy toe tog toggled toggling toil toked toking tolerate tolling tome tonal topical topically topped toppled tort totaled
totality tote tough tour tourney tout tow towered traced tracing tracker tragedy trailed trailer train traipsed trait tram trammed trammel trapped trapper
trapping trashed travail traveled traveler trawl trawled tray treachery tread treading treadled treadling treating trebled trebling tree treed treeing
trekking tremble trenching trendier trendy trial trialed triangle tricked trickled tried trifler trike trill trimmer trinket trip tripled triplet tripling
tripping tromped trooped tropical trot trotted troubled trounce trouped truanted truce truck trucked trucker truckled trudged trued truer trumped trundling
tub tube tuck tufting tug tugged tugging tune tuned tuning tunneled turbine turd turf turfed turfing turner turnkey tusk tutored tutoring tux twanged twanging
tweaked tweaking twigged twiggier twigging twill twinged twining twisted tying typed typo tyre udder umber unaccented unaided unarmed unauthenticated unbarred
unbearable unbeatable unbent unbiased unbolted unbound unbreakable uncalled uncharted unclothed uncooked uncover undamaged undated undeceived undefined
undergo underhand underlay undermined underpay underplay understate understated understood underwear undivided undoe undoing undress undressed unearned
unexplained unexplored unfilled unfit unfitted unfolded unfrocked unfrocking unfurnished unhanded unharmed unheard unhinged unhitched unhorsed unintended
uniquely uniquer uniquest unite unity unknowing unlaced unlatched unleaded unleash unloaded unlocked unlocking unloosed unlucky unmarked unmasked unmatched
unnamed unpacked unpaved unpinned unplanned unpremeditated unproven unprovoked unpublished unpunished unraveled unready unreal unreliable unrelieved
unreserved unrolled unsaddled unscathed unseeing unsigned unsnarled unsociable unstated unsubscribe unsuccessfully untapped untie untrained untried untwisted
unusual unveiled unwashed unwed unwonted upbraided upchucked updater upended upset upstage upstanding upstarted upstate upswing upturned upturning upwardly
urn uselessly usher usually usurious vague vale validly valued valve van vapid vary veer veering veining vending venerable venison vent venting verb verdant
verdure versified versify versing vertically vial vibrating vibration vied viewer vilified violator viruse visa visioned vitiated vitiating vitiation viva
vivified vocation volition voluble vomited voucher vulnerably wack wadding waddled wade waffled wafting wagging waggled waif wail wailing waist waited waive
waiver waiving wakening wale waled walked walking wallet walleye walleyed walling wallowed waltzed waltzing wand wander wandering wane wangled waning wannabe
wanting warbled warbling ward warding ware warming warping warring wary wash washing washout wasp wasting watcher wattled wattling wave waved wavy waxwing
waxy weakened weakest weakling weakly weal wean weaning wear wearied wearier wearily weariness wearying weather weave weaving webbing wedding wedging wee weed
weeding weekended weep weeping weer weft weigh weighed weighted weighty welding welled welling wending wept west wetness whaling wheat wheeler whenever
whereat wherever whetted whew whiled whiling whim whine whinier whining whipped whirled whistle white whitefish whitener whitest whither whiting whittle
whomever whomsoever whosoever widen wider widow width wield wig wight wiled willed willy wilting winched windier windowed wing winger wink winking winner
winning winnow wino wintered wintering wintrier wiser wish wishing wisp wist wit witch witched witching withdraw withdrawal withdrawing withdrew wittier wok
wolfing wondered wood woodier wooding woofing worded wordier wording wordy workaday worker workman workmen worldly wormed worming worried worrying worsen
worsting wounder wrapper wreak wreaking wren wright wring wringer writ writhed writing wronged wrongly wrung yawl yea yeah yearn yell yese yeti youngish
youngster zap zit zoned`.split(/\s/),
);

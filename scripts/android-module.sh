#!/bin/sh
# Builds a small Android module with probes by examples/gradle/wattline.init.gradle, and
# looks for the probe in its package: Debian's Android plugin 2.2.2 for Gradle, an SDK put
# together from public artifacts. Debian has no android.jar, so the stubs of Android 4.1
# are completed by this JDK's own `java.*`, and dx comes by Maven: enough to build a
# package, not one to publish.
# Arguments: an empty folder (default target/android-module); WATTLINE names the program.
# Exit code 4: something isn't installed, and it says what.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-$here/target/android-module}
wattline=${WATTLINE:-$here/target/release/wattline}
tools=/usr/lib/android-sdk/build-tools/29.0.3

missing=
[ -e /usr/share/java/com.android.tools.build.gradle-2.2.2.jar ] || missing="$missing libgradle-android-plugin-java"
[ -e "$tools/aapt" ] || missing="$missing aapt android-sdk-build-tools"
[ -d /usr/share/maven-repo/org/glassfish/jaxb/jaxb-runtime ] || missing="$missing libjaxb-java"
[ -e /usr/share/java/gradle-helper-hook.jar ] || missing="$missing gradle-debian-helper"
command -v mvn >/dev/null 2>&1 || missing="$missing maven"
if [ -n "$missing" ]; then
    echo "missing; install with: sudo apt-get install --no-install-recommends$missing" >&2
    exit 4
fi

fetch() { # coordinates, file
    # shellcheck disable=SC2086 # group, artifact and version
    set -- $1 "$2"
    folder=$HOME/.m2/repository/$(echo "$1" | tr . /)/$2/$3
    [ -e "$folder/$2-$3.jar" ] ||
        mvn -q dependency:get -Dartifact="$1:$2:$3" -Dtransitive=false >&2 || exit 4
    cp "$folder/$2-$3.jar" "$4"
}

mkdir -p "$out"
out=$(cd "$out" && pwd)
sdk=$out/sdk
platform=$sdk/platforms/android-23
mkdir -p "$platform" "$sdk/build-tools" "$out/platform"
cp -rL "$tools" "$sdk/build-tools/29.0.3"
mkdir -p "$sdk/build-tools/29.0.3/lib"
fetch "com.jakewharton.android.repackaged dalvik-dx 9.0.0_r3" "$sdk/build-tools/29.0.3/lib/dx.jar"
fetch "com.google.android android 4.1.1.4" "$platform/android.jar"
java_home=$(java -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java.home = //p')
jimage extract --dir "$out/platform" --include 'regex:/java.base/java/.*' "$java_home/lib/modules"
jar uf "$platform/android.jar" -C "$out/platform/java.base" java
printf '%s\n' Pkg.Revision=3 Platform.Version=6.0 AndroidVersion.ApiLevel=23 >"$platform/source.properties"
printf '%s\n' ro.build.version.sdk=23 ro.build.version.codename=REL >"$platform/build.prop"
: >"$platform/framework.aidl"

module=$out/module
mkdir -p "$module/src/main/java/demo" "$module/libs" "$out/greet"
cat >"$out/greet/Greeter.java" <<'EOF'
package greet;
public class Greeter {
    public String greet(int n) {
        return "hello " + n;
    }
}
EOF
javac -nowarn --release 7 -d "$out/greet/classes" "$out/greet/Greeter.java" 2>/dev/null
jar cf "$module/libs/greet.jar" -C "$out/greet/classes" greet
cat >"$module/src/main/java/demo/Main.java" <<'EOF'
package demo;

import android.app.Activity;
import android.os.Bundle;
import greet.Greeter;

public class Main extends Activity {
    @Override
    public void onCreate(Bundle state) {
        super.onCreate(state);
        int sum = 0;
        for (int i = 0; i < 5; i++) {
            sum += i;
        }
        setTitle(new Greeter().greet(sum));
    }
}
EOF
cat >"$module/src/main/AndroidManifest.xml" <<'EOF'
<manifest xmlns:android="http://schemas.android.com/apk/res/android" package="demo">
  <application android:label="Demo"><activity android:name=".Main"><intent-filter>
    <action android:name="android.intent.action.MAIN"/>
    <category android:name="android.intent.category.LAUNCHER"/>
  </intent-filter></activity></application>
</manifest>
EOF
echo "rootProject.name = 'demo'" >"$module/settings.gradle"
cat >"$module/build.gradle" <<'EOF'
buildscript {
    repositories { maven { url 'file:/usr/share/maven-repo' } }
    dependencies {
        classpath 'com.android.tools.build:gradle:2.2.2'
        // The plugin is older than the JDKs without JAXB.
        classpath 'org.glassfish.jaxb:jaxb-runtime:debian'
        classpath 'javax.activation:javax.activation-api:debian'
    }
}
apply plugin: 'com.android.application'
android {
    compileSdkVersion 23
    buildToolsVersion '29.0.3'
    defaultConfig {
        applicationId 'demo.app'
        minSdkVersion 16
    }
}
dependencies { compile files('libs/greet.jar') }
EOF

before=$(cksum <"$module/src/main/java/demo/Main.java")
# The plugin keeps its debug key and its cache below HOME.
mkdir -p "$out/home"
(cd "$module" && ANDROID_HOME=$sdk ANDROID_SDK_HOME=$out/home GRADLE_USER_HOME=$out/home gradle \
    --offline --no-daemon --init-script "$here/examples/gradle/wattline.init.gradle" \
    "-Pwattline.program=$wattline" assembleDebug >"$out/gradle.log" 2>&1) || {
    grep -A 6 'What went wrong' "$out/gradle.log" >&2 || tail "$out/gradle.log" >&2
    exit 1
}
sed -n '/^:wattlineInstrument/,/^written/p; /^:assemble/p' "$out/gradle.log"
[ "$before" = "$(cksum <"$module/src/main/java/demo/Main.java")" ]
(cd "$out" && jar xf "$module/build/outputs/apk/demo-debug.apk" classes.dex)
# shellcheck disable=SC2016 # a class's name
grep -a -q 'Lwattline$rt/W;' "$out/classes.dex"
echo "the probe is in $module/build/outputs/apk/demo-debug.apk"

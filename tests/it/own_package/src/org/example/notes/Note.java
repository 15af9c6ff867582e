package org.example.notes;

import android.os.Parcel;
import android.os.Parcelable;

/** What goes from one activity to the other. */
public class Note implements Parcelable {
    public static final Creator<Note> CREATOR =
            new Creator<Note>() {
                @Override
                public Note createFromParcel(Parcel in) {
                    return new Note(in.readInt(), in.readString());
                }

                @Override
                public Note[] newArray(int size) {
                    return new Note[size];
                }
            };

    final int number;
    final String text;

    Note(int number, String text) {
        this.number = number;
        this.text = text;
    }

    @Override
    public int describeContents() {
        return 0;
    }

    @Override
    public void writeToParcel(Parcel out, int flags) {
        out.writeInt(number);
        out.writeString(text);
    }
}
